"""Display adapters as the commands of Windows print them."""

from __future__ import annotations

import pytest
from torchdoctor.probes.adapter_text import adapter_rows

_WMIC = ("wmic", "path", "win32_VideoController", "get", "Name,DriverVersion")
_POWERSHELL = ("powershell", "Get-CimInstance Win32_VideoController | Select-Object Name,DriverVersion")
_CARD = {"Name": "NVIDIA GeForce RTX 3080", "DriverVersion": "31.0.15.3623"}
_SECOND = {"Name": "Intel(R) UHD Graphics 770", "DriverVersion": "31.0.101.5590"}


@pytest.mark.parametrize(
    ("argv", "text", "rows"),
    [
        (
            _WMIC,
            "\r\r\n\r\r\nDriverVersion=31.0.15.3623\r\r\nName=NVIDIA GeForce RTX 3080\r\r\n\r\r\n"
            "DriverVersion=31.0.101.5590\r\r\nName=Intel(R) UHD Graphics 770\r\r\n",
            [_CARD, _SECOND],
        ),
        (
            _WMIC,
            "DriverVersion  Name                       \r\r\n31.0.15.3623   NVIDIA GeForce RTX 3080    \r\r\n\r\r\n",
            [_CARD],
        ),
        (_WMIC, "\r\r\nNode,DriverVersion,Name\r\r\nPC,31.0.15.3623,NVIDIA GeForce RTX 3080\r\r\n", [{**_CARD, "Node": "PC"}]),
        (
            _POWERSHELL,
            "\r\nName                      DriverVersion\r\n----                      -------------\r\n"
            "NVIDIA GeForce RTX 3080   31.0.15.3623\r\nIntel(R) UHD Graphics 770 31.0.101.5590\r\n\r\n",
            [_CARD, _SECOND],
        ),
        (_POWERSHELL, "Name        DriverVersion\n----        -------------\nNVIDIA G... 31.0.15.3623\n", [{"DriverVersion": "31.0.15.3623"}]),
        (_POWERSHELL, '"Name","DriverVersion"\n"NVIDIA GeForce RTX 3080","31.0.15.3623"\n', [_CARD]),
        (_POWERSHELL, '{"Name": "NVIDIA GeForce RTX 3080", "DriverVersion": "31.0.15.3623", "AdapterRAM": 1}', [_CARD]),
        (_POWERSHELL, '[{"Name": "NVIDIA GeForce RTX 3080", "DriverVersion": "31.0.15.3623"}, 7]', [_CARD]),
        (_POWERSHELL, '{"Name": "NVIDIA', []),
        (_POWERSHELL, "Get-CimInstance : Access denied\n", []),
        (_POWERSHELL, "", []),
        (
            ("powershell", "Get-CimInstance Win32_VideoController | Select-Object -ExpandProperty Name"),
            "NVIDIA GeForce RTX 3080\r\n",
            [{"Name": "NVIDIA GeForce RTX 3080"}],
        ),
        (
            ("pnputil", "/enum-devices", "/class", "Display"),
            "Instance ID:                PCI\\VEN_10DE&DEV_2206\nDevice Description:         NVIDIA GeForce RTX 3080\n",
            [{"PNPDeviceID": "PCI\\VEN_10DE&DEV_2206", "Name": "NVIDIA GeForce RTX 3080"}],
        ),
        (
            ("dxdiag", "/t", "out.txt"),
            "Driver Version: 1.0\n   Card name: NVIDIA GeForce RTX 3080\n  Device Key: Enum\\PCI\\VEN_10DE&DEV_2206\n"
            "  Driver Version: 31.0.15.3623\n   Sound Devices\n   Driver Version: 10.0\n",
            [{**_CARD, "PNPDeviceID": "Enum\\PCI\\VEN_10DE&DEV_2206"}],
        ),
        (("wmic", "cpu", "get", "Name"), "Name\nIntel(R) Core(TM) i7\n", []),
    ],
)  # fmt: skip
def test_rows(argv: tuple[str, ...], text: str, rows: list[dict[str, str]]) -> None:
    assert adapter_rows(argv, text) == rows
