"""Printed registry keys and object lists."""

from __future__ import annotations

from torchdoctor.probes.registry_text import parse_blocks, parse_reg

QUERY = """
HKEY_LOCAL_MACHINE\\SYSTEM\\Class\\{x}\\0000
    DriverDesc    REG_SZ    NVIDIA GeForce RTX 3060
    HardwareInformation.MemorySize    REG_DWORD    0xfff00000
    HardwareInformation.qwMemorySize    REG_BINARY    00 00 00 00 03 00 00 00
    Empty    REG_SZ

Ende der Suche: 3 Übereinstimmung(en) gefunden.
"""
EXPORT = (
    "\ufeffWindows Registry Editor Version 5.00\r\n\r\n[HKEY_LOCAL_MACHINE\\HARDWARE\\CPU\\0]\r\n"
    '"Name"="Intel(R) \\"Xeon\\""\r\n"~MHz"=dword:00000c80\r\n"Size"=hex(b):00,00,00,00,06,00,00,00\r\n'
    '"Text"=hex(2):41,00,42,\\\r\n  00,00,00\r\n"Raw"=hex:01,02\r\n"Bad"=hex:zz\r\n'
)


def test_query() -> None:
    ((key, values),) = parse_reg(QUERY).items()
    assert key == "HKEY_LOCAL_MACHINE\\SYSTEM\\Class\\{x}\\0000"
    assert values["DriverDesc"] == "NVIDIA GeForce RTX 3060"
    assert values["HardwareInformation.MemorySize"] == 0xFFF00000
    assert int.from_bytes(values["HardwareInformation.qwMemorySize"], "little") == 12 << 30
    assert values["Empty"] == ""


def test_export() -> None:
    values = parse_reg(EXPORT)["HKEY_LOCAL_MACHINE\\HARDWARE\\CPU\\0"]
    assert values == {
        "Name": 'Intel(R) "Xeon"',
        "~MHz": 3200,
        "Size": 6 << 32,
        "Text": "AB",
        "Raw": b"\x01\x02",
        "Bad": b"",
    }


def test_other_text() -> None:
    assert parse_reg("") == parse_reg("ERROR: The system was unable to find the specified registry key") == {}


def test_blocks() -> None:
    wmic = "\r\n\r\nCaption=A\r\nPNPDeviceID=PCI\\VEN_10DE&amp;DEV_1F06\r\n\r\n\r\nCaption=B\r\nDriverVersion=\r\n"
    assert parse_blocks(wmic) == [
        {"Caption": "A", "PNPDeviceID": "PCI\\VEN_10DE&DEV_1F06"},
        {"Caption": "B", "DriverVersion": ""},
    ]
    assert parse_blocks("Name          : AMD Radeon\nAdapterRAM    : 4293918720\n") == [
        {"Name": "AMD Radeon", "AdapterRAM": "4293918720"}
    ]
    assert parse_blocks("nothing here") == []
