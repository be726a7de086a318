"""What is printed for each installer, and what is refused."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Any

import pytest
from torchdoctor.installers import (
    INSTALLERS,
    PROJECT_FILES,
    InstallerError,
    Target,
    leaves_out,
    render_command,
    render_project,
)
from torchdoctor.matrix.tables import parse_toml
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System
from torchdoctor.quote import QuoteError

ROOT = "https://download.pytorch.org/whl"
LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39")
ARM = System(os="linux", machine="aarch64", libc="glibc", libc_version="2.39")
WINDOWS = System(os="windows", machine="x86_64")
MAC = System(os="macos", machine="aarch64", version="15.5")
PY312 = Python(version="3.12.4")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


CU126 = chosen("2.14.1", "cu126")
DEFAULT = chosen("2.15.0", "cu132", default=True, torchvision="0.29.2")


@pytest.mark.parametrize(
    ("recommendation", "installer", "line"),
    [
        (DEFAULT, "pip", "pip install torch==2.15.0 torchvision==0.29.2"),
        (CU126, "pip", f"pip install torch==2.14.1 --index-url {ROOT}/cu126"),
        (DEFAULT, "uv", "uv pip install torch==2.15.0 torchvision==0.29.2"),
        (CU126, "uv", "uv pip install torch==2.14.1 --torch-backend=cu126"),
        (chosen("2.15.0", "cu134"), "uv", f"uv pip install torch==2.15.0 --index-url {ROOT}/cu134"),
        (chosen("2.14.1", "rocm7.2"), "uv", "uv pip install torch==2.14.1 --torch-backend=rocm7.2"),
        (chosen("2.15.0", "rocm10.0"), "uv", f"uv pip install torch==2.15.0 --index-url {ROOT}/rocm10.0"),
        (
            CU126,
            "conda",
            "conda install --channel conda-forge --override-channels pytorch-gpu=2.14.1 cuda-version=12",
        ),
        (
            chosen("2.14.1", "cpu"),
            "conda",
            "conda install --channel conda-forge --override-channels pytorch-cpu=2.14.1",
        ),
        (chosen("2.14.1", "xpu"), "conda", f"conda run python -m pip install torch==2.14.1 --index-url {ROOT}/xpu"),
    ],
)
def test_command_lines(recommendation: Recommendation, installer: str, line: str) -> None:
    assert render_command(recommendation, installer, system=LINUX) == line


def test_the_interpreter_is_named_where_asked() -> None:
    line = render_command(CU126, "pip", system=LINUX, python="/opt/my env/bin/python")
    assert line == f"'/opt/my env/bin/python' -m pip install torch==2.14.1 --index-url {ROOT}/cu126"
    line = render_command(CU126, "uv", system=LINUX, python="/opt/env/bin/python")
    assert line == "uv pip install --python /opt/env/bin/python torch==2.14.1 --torch-backend=cu126"


@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_mirror_stands_in_everywhere(installer: str) -> None:
    text = render_command(
        chosen("2.14.1", "xpu"), installer, system=LINUX, interpreter=PY312, index_base="https://mirror.example/torch/"
    )
    assert "https://mirror.example/torch/xpu" in text
    assert "download.pytorch.org" not in text
    assert "torch-backend" not in text


def test_a_mirror_leaves_the_default_index_and_foreign_indexes_alone() -> None:
    assert "mirror" not in render_command(DEFAULT, "pip", index_base="https://mirror.example")
    other = Recommendation(
        torch="2.8.0", variant="cu126", index_url="https://pypi.jetson-ai-lab.io/jp6/cu126", packages={"torch": "2.8.0"}
    )
    assert "https://pypi.jetson-ai-lab.io/jp6/cu126" in render_command(other, "uv", index_base="https://mirror.example")


def test_credentials_of_a_mirror_are_cut_unless_asked_for() -> None:
    base = "https://user:secret@mirror.example/torch"
    assert "https://mirror.example/torch/cu126" in render_command(CU126, "pip", index_base=base)
    assert "user:secret@" in render_command(CU126, "pip", index_base=base, credentials=True)


@pytest.mark.parametrize(
    ("installed", "again"),
    [
        ({"torch": "2.14.1+cpu"}, True),
        ({"torch": "2.14.1"}, True),  # the build of the default index: another variant
        ({"torch": "2.14.1+cu126"}, False),
        ({"torch": "2.13.0+cpu"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_another_build_of_that_number_is_replaced(installed: dict[str, str] | None, again: bool) -> None:
    pip = render_command(CU126, "pip", system=LINUX, installed=installed)
    uv = render_command(CU126, "uv", system=LINUX, installed=installed)
    assert ("--force-reinstall" in pip) is again
    assert ("--reinstall-package torch" in uv) is again


@pytest.mark.parametrize(("installed", "again"), [("2.15.0", False), ("2.15.0+cu132", False), ("2.15.0+cpu", True)])
def test_the_default_build_over_another(installed: str, again: bool) -> None:
    assert ("--force-reinstall" in render_command(DEFAULT, "pip", installed={"torch": installed})) is again


def test_dockerfile_line_is_one_instruction_for_any_user() -> None:
    text = render_command(CU126, "dockerfile", system=LINUX, shell="powershell")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines == [
        "RUN --mount=type=cache,target=/var/cache/pip,mode=1777,sharing=locked \\",
        f"    PIP_CACHE_DIR=/var/cache/pip pip install torch==2.14.1 --index-url {ROOT}/cu126",
    ]


@pytest.mark.parametrize("installer", INSTALLERS)
@pytest.mark.parametrize("recommendation", [DEFAULT, CU126, chosen("2.15.0", "rocm10.0"), chosen("2.14.1", "cpu")])
def test_each_says_what_it_leaves_out(installer: str, recommendation: Recommendation) -> None:
    said = leaves_out(installer, recommendation)
    assert said.endswith(".")
    if installer in PROJECT_FILES:
        assert f"# {said}\n" in render_command(recommendation, installer, system=LINUX, interpreter=PY312)


def test_conda_says_that_the_channel_ended() -> None:
    assert "ended after torch 2.5.1" in leaves_out("conda", CU126)


def test_a_second_host_is_named() -> None:
    assert "stable.repo.amd.com" in leaves_out("pip", chosen("2.15.0", "rocm10.0"))
    assert "amd.com" not in leaves_out("pip", chosen("2.14.1", "rocm7.2"))


# ---- files


def _one(recommendation: Recommendation, installer: str, system: System = LINUX) -> dict[str, Any]:
    return parse_toml(render_command(recommendation, installer, system=system, interpreter=PY312))


def test_rocm_as_python_packages_needs_the_whole_index() -> None:
    uv = _one(chosen("2.15.0", "rocm10.0"), "uv-project")
    assert "explicit" not in uv["tool"]["uv"]["index"][0]
    poetry = _one(chosen("2.15.0", "rocm10.0"), "poetry")
    assert poetry["tool"]["poetry"]["source"][0]["priority"] == "supplemental"
    pdm = _one(chosen("2.15.0", "rocm10.0"), "pdm")
    assert "rocm*" in pdm["tool"]["pdm"]["source"][0]["include_packages"]


@pytest.mark.parametrize("installer", PROJECT_FILES)
def test_machines_that_no_marker_tells_apart(installer: str) -> None:
    several = [Target(recommendation=r, system=LINUX, python=PY312) for r in (CU126, DEFAULT)]
    with pytest.raises(InstallerError, match=r"torch 2\.14\.1 \(cu126\) and torch 2\.15\.0 \(cu132\)"):
        render_project(several, installer)


@pytest.mark.parametrize("installer", ["requirements", "pdm"])
def test_builds_that_a_file_cannot_keep_apart(installer: str) -> None:
    several = [
        Target(recommendation=chosen("2.14.1", "cu126"), system=LINUX, python=PY312),
        Target(recommendation=chosen("2.14.1", "cpu"), system=ARM, python=PY312),  # no label is known there
    ]
    with pytest.raises(InstallerError, match=r"cannot keep torch 2\.14\.1"):
        render_project(several, installer)


def test_commands_serve_one_machine() -> None:
    with pytest.raises(InstallerError, match="one machine at a time"):
        render_project([Target(recommendation=CU126)], "pip")


# ---- hostile input

NASTY = [
    "x; touch gone",
    "$(touch gone)",
    "`touch gone`",
    "x' || touch gone '",
    'x" && touch gone "',
    "x\ntouch gone",
    "x\rtouch gone",
    "x y",
    "--index-url=https://evil.example",
    "x\u2028y",
    "<<EOF",
    "",
]


@pytest.mark.parametrize("word", NASTY)
@pytest.mark.parametrize("installer", INSTALLERS)
def test_hostile_names_versions_and_indexes_are_refused(word: str, installer: str) -> None:
    name = Recommendation(torch="2.14.1", variant="cu126", index_url=None, packages={"torch": "2.14.1", word: "1"})
    version = Recommendation(torch="2.14.1", variant="cu126", index_url=None, packages={"torch": word})
    url = Recommendation(torch="2.14.1", variant="cu126", index_url=word, packages={"torch": "2.14.1"})
    extra = Recommendation(
        torch="2.14.1", variant="cu126", index_url=None, packages={"torch": "2.14.1"}, extra_index_urls=(word,)
    )
    for recommendation in (name, version, url, extra):
        with pytest.raises(InstallerError) as caught:
            render_command(recommendation, installer, system=LINUX, interpreter=PY312)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("word", [w for w in NASTY if w])
@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_hostile_mirror_is_refused(word: str, installer: str) -> None:
    with pytest.raises(InstallerError):
        render_command(chosen("2.14.1", "xpu"), installer, system=LINUX, interpreter=PY312, index_base=word)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("shell_word", ["a'b", "$(touch gone)", "a;b", "a b", 'a"b', "`x`", "&&"])
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_shell_gets_the_words_of_a_hostile_call(shell_word: str, installer: str) -> None:
    base = "https://host/it's/$(id);x/&y"
    python = f"/tmp/{shell_word}/python"
    line = render_command(CU126, installer, system=LINUX, python=python, index_base=base)
    done = subprocess.run(
        ["sh", "-c", f"f() {{ printf '%s\\n' \"$@\"; }}; f {line}"], capture_output=True, text=True, timeout=20
    )
    assert done.stdout.splitlines() == shlex.split(line)
    assert python in done.stdout.splitlines()
    assert f"{base}/cu126" in done.stdout.splitlines()


def test_a_path_with_a_newline_is_refused() -> None:
    with pytest.raises(QuoteError):
        render_command(CU126, "pip", python="/tmp/a\nb/python")


@pytest.mark.parametrize("machine", ["x86_64'; import os", "a b", "x\ny"])
@pytest.mark.parametrize("installer", PROJECT_FILES)
def test_a_hostile_machine_file_cannot_leave_its_string(machine: str, installer: str) -> None:
    system = System(os="linux", machine=machine)
    if installer == "requirements":
        assert machine not in render_command(CU126, installer, system=system)
    else:
        with pytest.raises(InstallerError):
            render_command(CU126, installer, system=system, interpreter=PY312)


def test_unknown_installer() -> None:
    with pytest.raises(InstallerError, match="expected one of pip, uv"):
        render_command(CU126, "brew")


@pytest.mark.parametrize(
    "recommendation", [DEFAULT, CU126, chosen("2.14.1", "cpu"), chosen("2.15.0", "mps", default=True)]
)
def test_conda_specs_are_read_by_condas_own_grammar(recommendation: Recommendation) -> None:
    rattler = pytest.importorskip("rattler", reason="py-rattler is not installed")
    words = shlex.split(render_command(recommendation, "conda", system=LINUX))
    assert words[:5] == ["conda", "install", "--channel", "conda-forge", "--override-channels"]
    for spec in words[5:]:
        read = rattler.MatchSpec(spec, strict=True)
        name, _, version = spec.partition("=")
        assert name in str(read.name)
        assert str(read.version) == f"{version}.*"
