from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts, Setting
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.locks import Asked
from torchdoctor.probes.projects import ProjectError, examine_project

UV_LOCK = """\
version = 1

[[package]]
name = "torch"
version = "2.5.1"
source = { registry = "https://download.pytorch.org/whl/cpu" }
resolution-markers = [
    "sys_platform == 'darwin'",
]
wheels = [
    { url = "https://download.pytorch.org/whl/cpu/torch-2.5.1-cp312-none-macosx_11_0_arm64.whl", hash = "sha256:1" },
]

[[package]]
name = "torch"
version = "2.5.1+cpu"
source = { registry = "https://download.pytorch.org/whl/cpu" }
resolution-markers = [
    "sys_platform != 'darwin'",
]
wheels = [
    { url = "https://download.pytorch.org/whl/cpu/torch-2.5.1%2Bcpu-cp312-cp312-linux_x86_64.whl", hash = "sha256:2" },
    { url = "https://download.pytorch.org/whl/cpu/torch-2.5.1%2Bcpu-cp312-cp312-win_amd64.whl", hash = "sha256:3" },
]

[[package]]
name = "nvidia-cublas-cu12"
version = "12.4.5.8"
"""

POETRY_LOCK = """\
[[package]]
name = "torch"
version = "2.4.1+cu121"
files = [
    {file = "torch-2.4.1+cu121-cp311-cp311-linux_x86_64.whl", hash = "sha256:1"},
]

[package.source]
type = "legacy"
url = "https://user:secret@download.pytorch.org/whl/cu121"
reference = "pytorch"
"""

PYLOCK = """\
lock-version = "1.0"
[[packages]]
name = "torch"
version = "2.8.0"
marker = "sys_platform == 'linux'"
index = "https://download.pytorch.org/whl/cu126"
wheels = [{url = "https://x/torch-2.8.0-cp312-cp312-manylinux_2_28_x86_64.whl"}]
"""

Examined = tuple[Asked | None, Facts]


def _examine(path: Path, holds: Callable[[str], bool] | None = None) -> Examined:
    draft = Draft()
    asked = examine_project(LiveHost({}), str(path), draft, holds=holds)
    return asked, draft.build()


def _keys(facts: Facts) -> list[tuple[int | None, str | None, str | None]]:
    return [(s.line, s.key, s.value) for s in facts.settings or ()]


def test_a_requirements_file(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(
        "# comment\n--extra-index-url https://u:p@download.pytorch.org/whl/cu118\n"
        'torch==2.5.1+cu118 ; sys_platform == "linux"  # pinned\ntorchvision==0.20.1 \\\n  --hash=sha256:abc\nrich\n'
    )
    asked, facts = _examine(file)
    assert asked is not None and (asked.line, asked.marker) == (3, 'sys_platform == "linux"')
    assert facts.request.torch == "==2.5.1+cu118"
    assert facts.request.variant == "cu118"
    assert facts.request.index == "https://download.pytorch.org/whl/cu118"
    assert facts.source("request.torch") == f"{file}:3"
    assert _keys(facts) == [
        (2, "extra-index-url", "https://download.pytorch.org/whl/cu118"),
        (3, "requirement", 'torch==2.5.1+cu118 ; sys_platform == "linux"'),
        (4, "requirement", "torchvision==0.20.1"),
    ]


def test_a_line_whose_marker_does_not_hold_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "torch==2.2.2 ; sys_platform == 'darwin'\ntorch==2.5.1 ; sys_platform == 'linux'\n"
    )
    asked, facts = _examine(tmp_path, holds=lambda marker: "linux" in marker)
    assert asked is not None and asked.line == 2
    assert facts.request.torch == "==2.5.1"
    assert _examine(tmp_path, holds=lambda marker: False)[0] is None


def test_a_wheel_by_its_address(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("torch @ https://download.pytorch.org/whl/cu121/torch-2.3.1%2Bcu121-cp311-cp311-linux_x86_64.whl\n")
    asked, _ = _examine(file)
    assert asked is not None and (asked.torch, asked.variant) == ("==2.3.1+cu121", "cu121")


def test_requirement_files_that_name_others(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "-r base/gpu.txt\n-c limits.txt\n-r ../outside.txt\n-r /etc/passwd\n-r requirements.txt\n"
    )
    (tmp_path / "base").mkdir()
    (tmp_path / "base/gpu.txt").write_text("torch>=2.8\n")
    (tmp_path / "limits.txt").write_text("torch<2.12\n")
    (tmp_path.parent / "outside.txt").write_text("torch==1.13\n")
    asked, facts = _examine(tmp_path / "requirements.txt")
    assert asked is not None and asked.torch == ">=2.8"
    values = {s.value for s in facts.settings or ()}
    assert "torch<2.12" in values
    assert "torch==1.13" not in values


def test_pyproject_names_the_line_of_the_requirement(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[project]\nname = "x"\ndependencies = [\n  "rich",\n  "torch>=2.6,<3",\n]\n[dependency-groups]\ndev = ["torchaudio"]\n'
    )
    asked, facts = _examine(tmp_path)
    assert asked is not None and (asked.torch, asked.line, asked.installer) == (">=2.6,<3", 5, "pip")
    assert _keys(facts) == [
        (5, "project.dependencies", "torch>=2.6,<3"),
        (8, "dependency-groups.dev", "torchaudio"),
    ]


@pytest.mark.parametrize(
    ("written", "spec"),
    [
        ("^2.5.1", ">=2.5.1,<3"),
        ("~2.5", ">=2.5,<2.6"),
        ("2.4.1", "==2.4.1"),
        (">=2.0", ">=2.0"),
        ("*", None),
        ("^2.5.1+cpu", ">=2.5.1,<3"),
    ],
)
def test_poetry_versions(tmp_path: Path, written: str, spec: str | None) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.poetry.dependencies]\ntorch = {{ version = "{written}", source = "x" }}\n'
    )
    asked, _ = _examine(tmp_path)
    assert asked is not None
    assert (asked.torch, asked.installer) == (spec, "poetry")


def test_uv_lock_has_a_torch_for_each_system(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(UV_LOCK)
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch==2.7.0"]\n')
    linux, facts = _examine(tmp_path, holds=lambda marker: "!=" in marker)
    assert linux is not None and (linux.torch, linux.variant, linux.line) == ("==2.5.1+cpu", "cpu", 16)
    assert facts.request.installer == "uv"
    assert (5, "locked.platforms", "macosx_11_0_arm64") in _keys(facts)
    assert (16, "locked.platforms", "linux_x86_64 win_amd64") in _keys(facts)
    mac, _ = _examine(tmp_path, holds=lambda marker: "!=" not in marker)
    assert mac is not None and mac.torch == "==2.5.1"


def test_nvidia_lines_of_a_lock_prove_no_cuda_build(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(
        '[[package]]\nname = "torch"\nversion = "2.5.1"\nsource = { registry = "https://mirror.example/simple" }\n'
        'dependencies = [{ name = "nvidia-cublas-cu12", marker = "platform_machine == \'x86_64\'" }]\n'
        '[[package]]\nname = "nvidia-cublas-cu12"\nversion = "12.4.5.8"\n'
    )
    _, facts = _examine(tmp_path)
    assert facts.request.torch == "==2.5.1"
    assert facts.request.variant is None
    assert facts.request.index is None


def test_poetry_lock(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text(POETRY_LOCK)
    asked, facts = _examine(tmp_path)
    assert asked is not None and (asked.torch, asked.variant, asked.installer) == ("==2.4.1+cu121", "cu121", "poetry")
    assert facts.request.index == "https://download.pytorch.org/whl/cu121"
    assert "secret" not in repr(facts)


def test_pylock(tmp_path: Path) -> None:
    (tmp_path / "pylock.gpu.toml").write_text(PYLOCK)
    asked, _ = _examine(tmp_path)
    assert asked is not None
    assert (asked.torch, asked.variant, asked.marker) == ("==2.8.0", "cu126", "(sys_platform == 'linux')")


def test_conda_environment(tmp_path: Path) -> None:
    file = tmp_path / "environment.yml"
    file.write_text(
        "name: x\nchannels:\n  - pytorch\n  - nvidia\ndependencies:\n  - python=3.11\n  - pytorch=2.6  # new\n"
        "  - pytorch-cuda=12.4\n  - pip\n  - pip:\n    - torchaudio==2.6.0\n  - conda-forge::torchvision\n"
    )
    asked, facts = _examine(file)
    assert asked is not None and (asked.torch, asked.installer, asked.line) == ("==2.6.*", "conda", 7)
    assert facts.request.python == "3.11"
    assert _keys(facts) == [
        (3, "channel", "pytorch"),
        (4, "channel", "nvidia"),
        (6, "conda.dependencies", "python==3.11.*"),
        (7, "conda.dependencies", "pytorch==2.6.*"),
        (8, "conda.dependencies", "pytorch-cuda==12.4.*"),
        (11, "requirement", "torchaudio==2.6.0"),
        (12, "conda.dependencies", "torchvision"),
        (12, "channel.of.pytorch", "conda-forge"),
    ]


def test_a_lock_beats_a_requirement(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch\n")
    (tmp_path / "poetry.lock").write_text(POETRY_LOCK)
    asked, _ = _examine(tmp_path)
    assert asked is not None and asked.file.endswith("poetry.lock")


def test_a_project_without_torch(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("rich\n")
    asked, facts = _examine(tmp_path)
    assert asked is None
    assert facts.settings == ()
    assert facts.request.torch is None


def test_a_path_with_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"expected requirements\*\.txt, pyproject\.toml"):
        _examine(tmp_path)
    with pytest.raises(ProjectError, match="gone"):
        _examine(tmp_path / "gone")


@pytest.mark.parametrize("name", ["uv.lock", "requirements.txt", "pyproject.toml", "environment.yml", "poetry.lock"])
def test_noise_never_raises(tmp_path: Path, name: str) -> None:
    noise = (
        "[[package]]\nname = 'torch'\n"
        + "\0\\\n" * 300
        + "[" * 300
        + "- pip:\n"
        + "torch" * 200
        + "\ntorch @ @ @\n-r -r\n"
    )
    (tmp_path / name).write_bytes(noise.encode() + bytes(range(256)))
    _, facts = _examine(tmp_path)
    assert all(isinstance(s, Setting) for s in facts.settings or ())


def test_requirement_files_that_name_each_other_end(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}-requirements.txt").write_text(
            "".join(f"-r {other}-requirements.txt\n" for other in "abc" * 60) + f"torch>=2.{ord(name) - 90}\n"
        )
    asked, facts = _examine(tmp_path)
    assert asked is not None
    assert len([s for s in facts.settings or () if s.key == "requirement"]) == 3


def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("torch==1.13.1\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "linked.txt").symlink_to(outside / "secret.txt")
    (project / "folder").symlink_to("../outside")
    (project / "requirements.txt").write_text("-r linked.txt\n-r folder/secret.txt\n-c folder/secret.txt\n")
    asked, facts = _examine(project)
    assert asked is None
    assert facts.settings == ()
