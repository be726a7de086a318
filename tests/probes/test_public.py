from __future__ import annotations

import time

import pytest
from torchdoctor.probes.public import public

DEVICE = "GPU-8f6e5d4c-1234-5678-9abc-def01234567"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("trillian@gold-ws17:~/proj$ pip install torch", "user@host:~/proj$ pip install torch"),
        ("(base) [trillian@gold proj]$ nvidia-smi", "(base) [user@host proj]$ nvidia-smi"),
        ("written by trillian@example.org", "written by user@host"),
        ("CUDA error, HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWx", "CUDA error, HF_TOKEN=removed"),
        ("    Serial Number : 1650522003911", "    Serial Number : removed"),
        (f"{DEVICE}8,{DEVICE}9", "GPU-00000000-0000-0000-0000-000000000001,GPU-00000000-0000-0000-0000-000000000002"),
        ("MAC 3c:ec:ef:12:34:56 at 192.168.77.66", "MAC 00:00:00:00:00:00 at 0.0.0.0"),
        ("Looking in indexes: http://10.20.30.40/simple", "Looking in indexes: http://0.0.0.0/simple"),
        ("connect to 10.20.30.40:29500 failed", "connect to 0.0.0.0:29500 failed"),
        ("me@pc:~$", "user@host:~$"),
        ("192.168.1.5", "0.0.0.0"),
        (
            "Linux gold-ws17 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux",
            "Linux host 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux",
        ),
        (
            "Darwin Anns-Mac.local 23.6.0 Darwin Kernel Version 23.6.0",
            "Darwin host 23.6.0 Darwin Kernel Version 23.6.0",
        ),
    ],
)
def test_what_names_somebody_goes(text: str, shown: str) -> None:
    assert public(text) == shown
    assert public(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "pip install git+https://github.com/pytorch/pytorch@main",
        "py-torch@2.5.1+cuda",
        "torch @ https://download.pytorch.org/whl/cu124/torch-2.5.1.whl",
        "nvidia-cublas 12.1.3.1, cudnn 8.9.2.26, driver 31.0.101.5186, cufft 10.3.0.26",
        "KeyError: 'token' while loading",
        "unexpected token: identifier",
        "tokenizers 0.19.1; AttributeError: access: denied",
        "0000:01:00.0 VGA compatible controller [10de:2684]",
        "http://127.0.0.1:8080/simple",
        "Linux version 6.8.0-45-generic (gcc 13.2.0) #45-Ubuntu SMP",
        "NAME=Linux Mint 22.1.0 (#1 of the list)",
        "cufft 10.3.0.26, curand 10.3.5.119: both are there",
    ],
)
def test_what_names_nobody_stays(text: str) -> None:
    assert public(text) == text


@pytest.mark.parametrize(
    "unit",
    [
        "a@",
        "a.",
        "token=",
        "token:1",
        "8f6e5d4c-",
        "aa:",
        "1.",
        "x@a.b.c ",
        "eyJa.",
        "@" * 9,
        "Linux a",
        "10.1.1.1",
        "Linux 1.1.1 ",
    ],
)
def test_it_takes_time_in_step_with_the_length(unit: str) -> None:
    start = time.process_time()
    public(unit * (100_000 // len(unit)))
    assert time.process_time() - start < 2
