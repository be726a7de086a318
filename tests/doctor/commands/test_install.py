"""``torchdoctor install`` against a loopback index: what lands, what is said, and that failures change nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the stand-in wheels are for Linux x86_64"
)

ADA: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.31"},
    "python": {"implementation": "cpython", "version": "{}.{}.1".format(*sys.version_info), "free_threaded": False, "bits": 64, "machine": "x86_64"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9"}],
    "drivers": {"nvidia": {"version": "535.183.01", "installed": True, "loaded": True}},
    "packages": {},
    "environment": {},
}  # fmt: skip
NEW_DRIVER = ADA | {"drivers": {"nvidia": {"version": "580.65.06", "installed": True, "loaded": True}}}
WINDOWS = ADA | {"system": {"os": "windows", "machine": "x86_64"}, "gpus": [], "drivers": {}}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[dict[str, Any]], str]:
    def write(facts: dict[str, Any]) -> str:
        path = tmp_path / "machine.json"
        path.write_text(json.dumps(facts))
        return str(path)

    return write


@pytest.fixture
def install(environment: Any, index: Any, machine: Callable[[dict[str, Any]], str]) -> Run:
    """Run the command on a machine with an RTX 4090 and driver 535: torch 2.14.1 (cu126) is the answer."""

    def run(*args: str, answer: str = "", facts: dict[str, Any] = ADA, **how: Any) -> subprocess.CompletedProcess[str]:
        line = [
            sys.executable,
            "-m",
            "torchdoctor",
            "install",
            "--python",
            environment.python,
            "--machine",
            machine(facts),
        ]
        return subprocess.run(
            [*line, "--index-base", index.root, *args], input=answer, capture_output=True, text=True, timeout=120, **how
        )

    return run


def test_torch_from_its_index_the_rest_from_the_usual_one(install: Run, environment: Any) -> None:
    done = install("--yes", "torchvision", "on-torch")
    assert done.returncode == 0, done.stderr
    assert environment.freeze() == {
        "torch": "2.14.1+cu126",
        "torchvision": "0.29.1+cu126",
        "leafpad": "1.0",
        "on-torch": "1.0",
    }
    assert done.stdout.splitlines() == [
        "new: leafpad 1.0",
        "new: on-torch 1.0",
        "new: torch 2.14.1+cu126",
        "new: torchvision 0.29.1+cu126",
        "torch 2.14.1+cu126 works",
    ]
    files = environment.files()
    again = install("--yes", "torchvision")
    assert again.returncode == 0
    assert again.stdout == "torch 2.14.1 (cu126) is installed: nothing to change\n"
    assert environment.files() == files


def test_the_same_with_uv(install: Run, environment: Any, tool: Callable[[str], str]) -> None:
    tool("uv")
    done = install("--yes", "--installer", "uv", "torchvision", "on-torch")
    assert done.returncode == 0, done.stderr
    assert environment.freeze()["torch"] == "2.14.1+cu126"
    assert environment.freeze()["torchvision"] == "0.29.1+cu126"
    assert environment.freeze()["on-torch"] == "1.0"
    again = install("--yes", "--installer", "uv")
    assert again.returncode == 0, again.stderr
    assert again.stdout == "torch 2.14.1 (cu126) is installed: nothing to change\n"


def test_dry_run_shows_the_plan_and_changes_nothing(install: Run, environment: Any, tool: Callable[[str], str]) -> None:
    tool("uv")
    done = install("--dry-run", "--installer", "uv", "plain")
    assert done.returncode == 0
    assert done.stdout == ""
    assert "new: torch 2.14.1+cu126" in done.stderr
    assert "then plain from your usual index" in done.stderr
    assert environment.freeze() == {}


@pytest.mark.parametrize(("answer", "status", "said"), [("n\n", 1, "nothing was changed"), ("", 2, "--yes")])
def test_no_and_nobody_there(
    answer: str, status: int, said: str, install: Run, environment: Any, tool: Callable[[str], str]
) -> None:
    tool("uv")
    files = environment.files()
    done = install("--installer", "uv", answer=answer)
    assert done.returncode == status
    assert said in done.stderr.splitlines()[-1]
    assert environment.files() == files


def test_yes_typed(install: Run, environment: Any, tool: Callable[[str], str]) -> None:
    tool("uv")
    assert install("--installer", "uv", answer="y\n").returncode == 0
    assert environment.freeze()["torch"] == "2.14.1+cu126"


def test_a_package_that_wants_another_torch_leaves_everything(
    install: Run, environment: Any, index: Any, tool: Callable[[str], str]
) -> None:
    tool("uv")
    environment.unpack(index, "torch-2.14.1+cu126", "leafpad-1.0")
    before, files = environment.freeze(), environment.files()
    done = install("--yes", "--installer", "uv", "on-newest")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("uv failed with status 1; everything is as it was before")
    assert environment.freeze() == before
    assert environment.files() == files
    assert not list(environment.site.parent.glob(".torchdoctor-*"))


def test_index_that_dies_half_way(install: Run, environment: Any, index: Any, tool: Callable[[str], str]) -> None:
    tool("uv")
    index.broken.update(f for f in index.files if f.startswith("torch-2.14.1+cu126"))
    files = environment.files()
    done = install("--yes", "--installer", "uv")
    assert done.returncode in (1, 2)
    assert done.stderr.splitlines()[-1].endswith(("nothing was changed", "everything is as it was before"))
    assert environment.files() == files


def test_full_disk(install: Run, environment: Any, index: Any) -> None:
    import resource

    environment.unpack(index, "torch-2.14.1+cu126", "leafpad-1.0", "plain-1.0")
    before, files = environment.freeze(), environment.files()
    limit = 1 << 20  # bulky unpacks to more
    done = install(
        "--yes", "plain==2.0", "bulky", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert done.returncode == 1
    assert "everything is as it was before" in done.stderr.splitlines()[-1]
    assert environment.freeze() == before
    assert environment.files() == files


def test_without_pip(install: Run, environment: Any) -> None:
    import shutil

    for path in environment.site.glob("pip*"):
        shutil.rmtree(path)
    done = install("--yes")
    assert done.returncode == 2
    assert "has no pip" in done.stderr.splitlines()[-1]
    assert environment.freeze() == {}


def test_with_an_old_pip(install: Run, environment: Any) -> None:
    file = environment.site / "pip" / "__init__.py"
    text = file.read_text()
    file.unlink()  # a hard link to the template's
    file.write_text(text + '\n__version__ = "20.3.4"\n')
    done = install("--yes")
    assert done.returncode == 2
    assert "pip 20.3.4" in done.stderr.splitlines()[-1]
    assert "older than 21" in done.stderr.splitlines()[-1]
    assert environment.freeze() == {}


def test_system_interpreter(
    tmp_path: Path, machine: Callable[[dict[str, Any]], str], clean_environment: dict[str, str]
) -> None:
    said = {
        "executable": "/usr/bin/python3",
        "version": list(sys.version_info[:2]),
        "prefix": "/usr",
        "base": "/usr",
        "purelib": str(tmp_path),
        "platlib": str(tmp_path),
        "scripts": str(tmp_path),
        "managed": True,
        "pip": "24.0",
    }
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(said)}'\n")
    python.chmod(0o755)
    line = [sys.executable, "-m", "torchdoctor", "install", "--python", str(python), "--machine", machine(ADA), "--yes"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "EXTERNALLY-MANAGED" in done.stderr
    assert "-m venv .venv" in done.stderr


def test_verify_takes_the_next_candidate(install: Run, index: Any, tool: Callable[[str], str]) -> None:
    tool("uv")
    held = index.folders["default"]["torch"]
    index.folders["default"]["torch"] = [f for f in held if "-2.15.0-" not in f]
    try:
        done = install("--dry-run", "--verify", "--installer", "uv", facts=NEW_DRIVER)
    finally:
        index.folders["default"]["torch"] = held
    assert done.returncode == 0, done.stderr
    assert "torch 2.15.0 (cu132) is not on the index for this interpreter" in done.stderr
    assert "new: torch 2.14.1" in [line.removeprefix("torchdoctor:").strip() for line in done.stderr.splitlines()]


def test_check_verifies_before_it_advises(
    machine: Callable[[dict[str, Any]], str], clean_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the real installer answers is asked above; here it is one that lacks the newest build."""
    from click.testing import CliRunner
    from torchdoctor import verify
    from torchdoctor.commands.check import command

    monkeypatch.setattr(verify, "offered", lambda target, *_, **__: (target.recommendation.variant != "cu126", ""))
    line = ["--python", sys.executable, "--machine", machine(ADA), "--torch", "2.14.1", "--verify", "--format", "json"]
    done = CliRunner().invoke(command, line, standalone_mode=False)
    report = json.loads(done.stdout)
    assert "torch 2.14.1 (cu126) is not on the index" in done.stderr
    chosen = report["recommendation"]
    assert (chosen["torch"], chosen["variant"]) != ("2.14.1", "cu126")
    assert "the index does not hold torch 2.14.1 (cu126)" in report["summary"]
    assert f"torch=={chosen['torch']}" in chosen["commands"]["pip"]


def test_download_then_install_without_an_index(install: Run, environment: Any, index: Any, tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    done = install("--download", str(folder), "on-torch")
    assert done.returncode == 0, done.stderr
    assert environment.freeze() == {}
    names = {p.name.split("-")[0] for p in folder.iterdir()}
    assert names == {"torch", "leafpad", "on_torch"}
    index.asked.clear()
    done = install("--yes", "--installer", "uv", "--find-links", str(folder), "on-torch")
    assert done.returncode == 0, done.stderr
    assert environment.freeze()["torch"] == "2.14.1+cu126"
    assert environment.freeze()["on-torch"] == "1.0"
    assert index.asked == []


def test_download_for_another_system(install: Run, tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("uv")
    folder = tmp_path / "wheels"
    done = install("--download", str(folder), facts=WINDOWS)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name.split("-")[0] for p in folder.iterdir()) == ["leafpad", "torch"]
    assert next(p.name for p in folder.glob("torch-*")).endswith("-win_amd64.whl")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["torch==2.0"], "which torch is chosen to fit"),
        (["--", "--index-url=http://x"], "expected a package"),
        (["a\nb"], "expected a package"),
        (["-r", "no-such-file"], "no such file"),
        (["--installer", "poetry"], "install runs pip or uv"),
        (["--download", "a", "--find-links", "b"], "give one of them"),
    ],
)
def test_calls_that_are_refused(args: list[str], said: str, clean_environment: dict[str, str]) -> None:
    from click.testing import CliRunner
    from torchdoctor.commands.install import command

    done = CliRunner().invoke(command, [*args])
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    "facts",
    [WINDOWS, ADA | {"python": ADA["python"] | {"version": "3.10.1" if sys.version_info[1] != 10 else "3.11.1"}}],
)
def test_another_machine_is_not_installed_for_here(facts: dict[str, Any], install: Run, environment: Any) -> None:
    done = install("--yes", facts=facts)
    assert done.returncode == 2
    assert "is not the machine declared" in done.stderr
    assert environment.freeze() == {}


def test_blocked_request_installs_nothing(install: Run, environment: Any) -> None:
    done = install("--yes", "--torch", "2.15")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "driver-too-old" in done.stderr
    assert environment.freeze() == {}
