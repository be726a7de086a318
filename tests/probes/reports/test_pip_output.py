from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


def _ids(facts: Facts) -> list[str | None]:
    return [s.id for s in facts.symptoms or ()]


def test_versions_offered(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "ERROR: Could not find a version that satisfies the requirement torch==2.5.0+cu121 (from -r requirements.txt (line 6)) "
        "(from versions: 2.2.0, 2.2.1, 2.2.2+cpu)\nERROR: No matching distribution found for torch==2.5.0+cu121 (from -r requirements.txt (line 6))\n"
    )
    assert (facts.request.torch, facts.request.variant, facts.request.package) == ("2.5.0", "cu121", "torch")
    assert facts.request.versions_offered == ("2.2.0", "2.2.1", "2.2.2+cpu")
    assert facts.torch.version is None
    assert _ids(facts) == ["pip-no-version"]
    assert read_text("ERROR: No matching distribution found for torch==9", "x").kind == "pip_error"


def test_none_is_an_empty_list(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\n")
    assert facts.request.versions_offered == ()
    assert facts.request.torch is None


def test_another_package(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "ERROR: Could not find a version that satisfies the requirement torchao==0.14.1 (from versions: none)\n"
    )
    assert (facts.request.package, facts.request.torch) == ("torchao", None)
    pytorch = facts_of(
        "ERROR: Could not find a version that satisfies the requirement pytorch==1.0.1 (from versions: 0.1.2, 1.0.2)\n"
    )
    assert pytorch.request.package == "pytorch"


@pytest.mark.parametrize("specifier", [">=2.6,<2.9", "~=2.6", ">=2.0"])
def test_ranges(facts_of: Callable[[str], Facts], specifier: str) -> None:
    facts = facts_of(
        f"ERROR: Could not find a version that satisfies the requirement torch{specifier} (from versions: 2.2.0)\n"
    )
    assert facts.request.torch == specifier


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ("vllm 0.6.3 requires torch==2.4.0, but you have torch 2.2.0 which is incompatible.", "conflict-on-torch"),
        (
            "torchvision 0.19.0 requires torch==2.4.0, but you have torch 2.5.0 which is incompatible.",
            "conflict-of-companion",
        ),
        (
            "torch 2.6.0+xpu requires intel-sycl-rt==2025.0.2, but you have intel-sycl-rt 2025.0.4 which is incompatible.",
            "conflict-of-torch",
        ),
        (
            "ERROR: fastai 2.7 has requirement torch<2.3,>=1.7, but you'll have torch 2.4.0 which is incompatible.",
            "conflict-on-torch",
        ),
        ("peft 0.1 requires transformers>=4.45, but you have transformers 4.40.1 which is incompatible.", "conflict"),
    ],
)
def test_conflicts(facts_of: Callable[[str], Facts], line: str, id: str) -> None:
    facts = facts_of(line)
    assert _ids(facts) == [id]
    assert facts.packages


def test_what_was_installed(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Successfully installed numpy-2.1.0 torch-2.6.0+cu124 torchvision-0.21.0+cu124 typing-extensions-4.12.2\n"
    )
    assert facts.packages == {
        "numpy": "2.1.0",
        "torch": "2.6.0+cu124",
        "torchvision": "0.21.0+cu124",
        "typing-extensions": "4.12.2",
    }
    assert facts.torch.variant == "cu124"


def test_two_torches(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        ">>> print(torch.__version__)\n2.6.0\n$ pip uninstall torch\n  Successfully uninstalled torch-2.8.0\n"
    )
    assert "torch-versions-differ" in _ids(facts)
    same = facts_of(
        ">>> print(torch.__version__)\n2.6.0\n$ pip uninstall torch\n  Successfully uninstalled torch-2.6.0\n"
    )
    assert "torch-versions-differ" not in _ids(same)


def test_satisfied_requirements_show_the_environment(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Requirement already satisfied: nvidia-nccl-cu12==2.28.9 in /home/user/anaconda3/envs/e/lib/python3.12/site-packages (2.28.9)\n"
    )
    assert facts.packages == {"nvidia-nccl-cu12": "2.28.9"}
    assert (facts.python.version, facts.python.environment) == ("3.12", "conda")


def test_a_refused_wheel(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "ERROR: torch-2.4.1-cp310-cp310-manylinux_2_28_x86_64.whl is not a supported wheel on this platform.\n"
    )
    assert (facts.request.torch, facts.request.python, facts.request.platform) == (
        "2.4.1",
        "cp310",
        "manylinux_2_28_x86_64",
    )
    assert _ids(facts) == ["wheel-refused"]
    assert facts.system.libc_version is None


def test_a_downloaded_wheel_tells_the_platform(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("  Downloading torch-2.2.2-cp312-none-macosx_10_9_x86_64.whl.metadata (25 kB)\n")
    assert (facts.system.os, facts.python.machine, facts.python.version) == ("macos", "x86_64", "3.12")


def test_the_stub_sdist(facts_of: Callable[[str], Facts]) -> None:
    assert _ids(facts_of("  Downloading https://files.example/packages/torch-0.1.2.post1.tar.gz\n")) == [
        "pip-stub-sdist"
    ]


def test_indexes_without_credentials(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Looking in indexes: https://me:secret@mirror.example/simple, https://download.pytorch.org/whl/cu118\n"
    )
    assert (facts.request.index, facts.request.variant) == ("https://download.pytorch.org/whl/cu118", "cu118")
    assert "secret" not in str(facts.sources)


@pytest.mark.parametrize(
    ("text", "python", "seen"),
    [
        ("ERROR: Package 'torch' requires a different Python: 3.9.18 not in '>=3.10'", "3.9.18", True),
        ("#14 41.10 ERROR: Package 'torch' requires a different Python: 3.10.12 not in '>=3.11'", "3.10.12", True),
        ("ERROR: Package 'numba' requires a different Python: 3.14.0 not in '<3.14,>=3.10'", "3.14.0", False),
    ],
)
def test_another_python_is_required(facts_of: Callable[[str], Facts], text: str, python: str, seen: bool) -> None:
    facts = facts_of(text)
    assert facts.python.version == python
    assert ("pip-other-python" in _ids(facts)) is seen


@pytest.mark.parametrize(
    ("asked", "seen"),
    [("torch==2.10.0", True), ("torch>=2.9", True), ("torch==2.3.0", False), ("torch==2.10.0+cu128", False), ("numpy==2.10.0", False)],
)  # fmt: skip
def test_the_releases_left_out_for_another_python(facts_of: Callable[[str], Facts], asked: str, seen: bool) -> None:
    facts = facts_of(
        "ERROR: Ignored the following versions that require a different python version: 2.9.0 Requires-Python >=3.10; 2.10.0 Requires-Python >=3.10\n"
        f"ERROR: Could not find a version that satisfies the requirement {asked} (from versions: 2.7.1, 2.8.0)\n"
    )
    assert ("pip-other-python" in _ids(facts)) is seen


@pytest.mark.parametrize(
    ("asked", "seen"), [("2.6.0", True), ("2.6", True), ("2.6.0+cu124", True), ("2.6.0+cpu", False)]
)
def test_local_versions_left_out_for_another_python(facts_of: Callable[[str], Facts], asked: str, seen: bool) -> None:
    facts = facts_of(
        "ERROR: Ignored the following versions that require a different python version: 2.6.0+cu124 Requires-Python >=3.9.0\n"
        f"ERROR: Could not find a version that satisfies the requirement torch=={asked} (from versions: 2.4.1+cu124)\n"
    )
    assert ("pip-other-python" in _ids(facts)) is seen


def test_what_uv_pip_check_finds(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("The package `torchvision` requires `torch==2.5.1`, but `2.6.0` is installed\n")
    assert facts.torch.version == "2.6.0" and [s.id for s in facts.symptoms or ()] == ["conflict-of-companion"]
    other = facts_of("The package `vllm` requires `torch==2.5.1`, but `2.6.0+cu124` is installed\n")
    assert other.torch.variant == "cu124" and [s.id for s in other.symptoms or ()] == ["conflict-on-torch"]


@pytest.mark.parametrize(
    ("specifier", "left_out"),
    [
        ("==2.0", "torch 2.0.0 requires Python >=3.8"),
        ("==2.0.0", "torch 2.0.0 requires Python >=3.8"),
        (">=2,<2.2", "torch 2.1.2 requires Python >=3.8"),
        ("==2.0.0+cu118", None),
        ("==2.0.1", None),
    ],
)
def test_the_release_that_was_asked_for_is_among_those_left_out(
    facts_of: Callable[[str], Facts], specifier: str, left_out: str | None
) -> None:
    found = facts_of(
        "ERROR: Ignored the following versions that require a different python version: "
        "2.0.0 Requires-Python >=3.8; 2.1.2 Requires-Python >=3.8\n"
        f"ERROR: Could not find a version that satisfies the requirement torch{specifier} (from versions: 1.7.0, 1.7.1)\n"
        f"ERROR: No matching distribution found for torch{specifier}\n"
    )
    said = {s.id: s.text for s in found.symptoms or ()}
    assert said.get("pip-other-python") == left_out
