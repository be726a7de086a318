from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from torchdoctor.api import Options, judged
from torchdoctor.probes.profile import facts_from_mapping
from torchdoctor.report import error_report, failed, schema

BASE: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
    "python": {
        "implementation": "cpython",
        "version": "3.12.4",
        "bits": 64,
        "machine": "x86_64",
        "executable": "/home/ann/venv/bin/python",
    },
    "gpus": [],
    "packages": {},
    "environment": {},
}


def _machines() -> Iterator[tuple[dict[str, Any], Options]]:
    yield BASE, Options()
    yield {}, Options()
    yield (
        {
            **BASE,
            "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce GTX 1080 Ti", "compute_capability": "6.1"}],
            "drivers": {"nvidia": {"version": "580.95.05"}},
        },
        Options(torch="2.15"),
    )
    yield {**BASE, "gpus": [{"vendor": "amd", "name": "RX 580", "gfx": "gfx803"}]}, Options(requires=("rocm", "gpu"))
    yield (
        {**BASE, "packages": {"torch": "2.5.1+cpu", "torchvision": "0.19.0+cpu"}},
        Options(companions=("torchaudio",), installer="poetry"),
    )
    yield {**BASE, "system": {"os": "linux", "machine": "x86_64", "libc": "musl"}}, Options()
    yield (
        {
            "system": {"os": "macos", "machine": "arm64", "version": "14.6"},
            "python": {"version": "3.12"},
            "gpus": [{"vendor": "apple", "name": "Apple M1"}],
        },
        Options(every=True),
    )
    yield (
        {
            "symptoms": [{"id": "cuda-error-802", "text": "error 802", "line": 3}],
            "devices": {"/dev/kfd": {"present": False}},
            "settings": [{"file": "pip.conf", "line": 1, "key": "index-url", "value": "https://u:p@x/simple"}],
        },
        Options(),
    )


@pytest.mark.parametrize(("machine", "options"), list(_machines()))
def test_every_report_validates_and_repeats(machine: dict[str, Any], options: Options) -> None:
    report = judged(facts_from_mapping(machine), ("machine", "m.json"), options)
    document = json.loads(report.to_json())
    jsonschema.Draft202012Validator(schema()).validate(document)
    again = judged(facts_from_mapping(machine), ("machine", "m.json"), options)
    assert again.to_json() == report.to_json()


def test_objects_are_always_there_and_only_leaves_are_null() -> None:
    facts = judged(facts_from_mapping({}), ("machine", "m"), Options()).to_dict()["facts"]
    assert facts["drivers"] == {
        "nvidia": {"version": None, "cuda": None, "module": None, "installed": None, "loaded": None, "library": None},
        "amdgpu": {"version": None},
        "intel": {"kernel_driver": None, "compute_runtime": None},
    }
    assert facts["gpus"] is None
    assert facts["packages"] is None


def test_commands_hold_pip_uv_and_the_one_named() -> None:
    document = judged(facts_from_mapping(BASE), ("machine", "m"), Options(installer="poetry")).to_dict()
    assert sorted(document["recommendation"]["commands"]) == ["pip", "poetry", "uv"]
    assert (
        document["recommendation"]["commands"]["pip"]
        == "pip install torch==2.15.0 --index-url https://download.pytorch.org/whl/cpu"
    )


def test_nothing_personal_is_in_it() -> None:
    machine = {
        **BASE,
        "environment": {
            "CUDA_VISIBLE_DEVICES": "0",
            "AWS_SECRET_ACCESS_KEY": "s3cr3t",
            "LD_LIBRARY_PATH": "/home/ann/lib:/opt/x",
        },
        "settings": [
            {
                "file": "C:\\Users\\ann\\pip\\pip.ini",
                "line": 2,
                "key": "index-url",
                "value": "https://ann:t0ken@mirror.example/simple",
            }
        ],
        "torch": {"path": "/Users/ann/lib/torch"},
    }
    text = judged(facts_from_mapping(machine), ("report", "/home/ann/report.txt"), Options()).to_json()
    for secret in ("s3cr3t", "t0ken", "ann", "AWS_SECRET"):
        assert secret not in text
    document = json.loads(text)
    assert document["facts"]["python"]["executable"] == "~/venv/bin/python"
    assert document["facts"]["environment"]["LD_LIBRARY_PATH"] == "~/lib:/opt/x"
    assert document["facts"]["settings"][0]["value"] == "https://mirror.example/simple"


@pytest.mark.parametrize(
    "secret",
    [
        "/home/trillian/x",
        "/users/trillian/x",
        "C:\\Users\\trillian",
        "in c:\\users\\trillian\\lib",
        "'C:\\\\Users\\\\trillian\\\\lib'",
        "C:\\Users\\Ann Trillian\\lib",
        "C:/Users/trillian/lib",
        "trillian@pc:~$",
        "https://trillian:pw@mirror.example/simple",
        "https://ann:p@trillian@mirror.example/simple",
        "Serial: 42trillian",
    ],
)
def test_no_place_of_a_report_shows_who_sent_it(secret: str) -> None:
    from torchdoctor.matrix.verdict import Evidence, Finding

    facts = facts_from_mapping(
        {
            "system": {"name": secret, "kernel": secret},
            "gpus": [{"name": secret}],
            "packages": {"torch": secret},
            "environment": {"LD_LIBRARY_PATH": secret},
            "settings": [{"file": secret, "key": secret, "value": secret}],
            "symptoms": [{"id": "disk-full", "text": secret}],
            "request": {"index": secret, "versions_offered": [secret]},
        }
    ).replace(sources={"gpus": secret}, unknown={"drivers": secret})
    report = judged(facts, ("report", secret), Options())
    planted = Finding(
        id="musl",
        severity="note",
        about="machine",
        title=secret,
        detail=secret,
        evidence=(Evidence(fact="gpus", value=secret, source=secret),),
        fix=(secret,),
        lies_in="system",
    )
    verdict = dataclasses.replace(report.verdict, summary=secret, findings=(*report.verdict.findings, planted))
    text = dataclasses.replace(report, verdict=verdict).to_json() + json.dumps(error_report("report", secret, secret))
    assert "trillian" not in text.lower()
    assert len(text) > 2000


def test_gates() -> None:
    warned = judged(
        facts_from_mapping({**BASE, "gpus": [{"vendor": "amd", "name": "RX 580", "gfx": "gfx803"}]}),
        ("machine", "m"),
        Options(),
    )
    assert [failed(warned, level) for level in ("never", "blocker", "warning")] == [False, False, True]
    required = judged(facts_from_mapping(BASE), ("machine", "m"), Options(requires=("gpu",)))
    assert failed(required, "never")


def test_an_error_takes_a_reports_place() -> None:
    assert error_report("report", "/home/ann/x.txt", "no such file") == {
        "schema": "torchdoctor/report/1",
        "source": {"kind": "report", "name": "~/x.txt"},
        "error": "no such file",
    }


def test_what_somebody_sent_names_nobody_but_the_command_keeps_its_mirror() -> None:
    from torchdoctor.api import Options, diagnose_text

    text = (
        "trillian@gold-ws17:~$ pip install torch\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrSt\n"
        "$ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader\nNVIDIA GeForce RTX 4090, 550.54.14\n"
    )
    options = Options(index_base="http://192.168.7.8/whl", variant="cu126")
    shown = diagnose_text(text, "paste", options).to_json()
    for name in ("trillian", "gold-ws17", "hf_AbC"):
        assert name not in shown
    assert "--index-url http://192.168.7.8/whl/cu126" in shown
