from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.conclusions import conclude
from torchdoctor.probes.reports.reading import MEASURED, open_reading


def _concluded(text: str = "", **known: Any) -> Facts:
    reading = open_reading(text)
    for path, value in known.items():
        reading.draft.put(path.replace("__", "."), value, "line 1", rank=MEASURED)
    conclude(reading)
    return reading.draft.build()


@pytest.mark.parametrize(
    ("known", "variant"),
    [
        ({"torch__version": "2.6.0", "torch__cuda": ""}, "cpu"),
        ({"torch__version": "2.6.0", "torch__cuda": "", "torch__hip": "6.2"}, None),
        ({"torch__version": "2.6.0"}, None),  # nobody said that there is no CUDA
        ({"torch__version": "2.6.0+weird", "torch__cuda": ""}, None),
        ({"torch__version": "2.6.0", "torch__cuda": "", "system__os": "macos", "system__machine": "aarch64"}, "mps"),
        ({"torch__version": "2.6.0", "torch__cuda": "", "system__os": "macos", "system__machine": "x86_64"}, "cpu"),
    ],
)
def test_a_dump_that_shows_no_cuda(known: dict[str, str], variant: str | None) -> None:
    assert _concluded(**known).torch.variant == variant


def test_torch_says_that_it_was_compiled_without_cuda() -> None:
    says = "AssertionError: Torch not compiled with CUDA enabled"
    assert _concluded(says).torch.variant == "cpu"
    assert _concluded(says, system__os="macos").torch.variant is None


def test_hardware_that_comes_with_a_machine() -> None:
    mac = _concluded(system__os="macos", system__machine="aarch64", cpu__model="Apple M2")
    assert [(g.vendor, g.name, g.integrated) for g in mac.gpus or ()] == [("apple", "Apple M2", True)]
    board = _concluded(system__jetson="36.4.3")
    assert [(g.vendor, g.integrated) for g in board.gpus or ()] == [("nvidia", True)]
    assert _concluded(system__os="macos", system__machine="x86_64").gpus is None


@pytest.mark.parametrize(("os", "translated"), [("macos", True), ("windows", True), ("linux", None)])
def test_an_interpreter_of_another_machine(os: str, translated: bool | None) -> None:
    facts = _concluded(system__os=os, system__machine="aarch64", python__machine="x86_64")
    assert facts.system.translated == translated


def test_the_cuda_runtime_beside_triton_tells_the_variant_of_a_plain_torch() -> None:
    def variant(**more: str) -> str | None:
        return _concluded(packages__torch="2.6.0", **more).torch.variant

    runtime = {"packages__nvidia-cuda-runtime-cu12": "12.4.127"}
    assert variant(packages__triton="3.2.0", **runtime) == "cu124"
    assert variant(**runtime) is None
    assert variant(packages__triton="3.2.0", torch__origin="conda", **runtime) is None
    assert variant(packages__triton="3.2.0") is None


def test_two_torches_in_one_paste() -> None:
    def ids(text: str, **known: str) -> list[str | None]:
        return [s.id for s in _concluded(text, torch__version="2.6.0", **known).symptoms or ()]

    assert ids("Successfully uninstalled torch-2.5.1") == ["torch-versions-differ"]
    assert ids("Successfully uninstalled torch-2.6.0") == []
    asked = ">>> print(torch.__version__, torch.__file__)\n2.3.0 /opt/x/torch/__init__.py"
    assert ids(asked, packages__torch="2.6.0") == ["torch-versions-differ"]
    assert ids(asked, packages__torch="2.3.0") == []


TWO = "jupyter runs /usr/bin/python3: ModuleNotFoundError: No module named 'torch'\n$ which python\n/home/me/env/bin/python\n"


@pytest.mark.parametrize(
    ("text", "version", "seen"),
    [
        (TWO, "2.3.0", True),
        (TWO, None, False),
        (TWO.replace("/home/me/env/bin/python", "/usr/bin/python3.12"), "2.3.0", False),  # one folder, two names
        (TWO.replace("No module named 'torch'", "No module named 'cv2'"), "2.3.0", False),
        ("C:\\Python312\\python.exe: No module named 'torch'\nC:\\envs\\ml\\python.exe works", "2.3.0", True),
        ("No module named 'torch', then I installed it", "2.3.0", False),
    ],
)
def test_torch_of_another_interpreter(text: str, version: str | None, seen: bool) -> None:
    known = {"torch__version": version} if version else {}
    found = [s.id for s in _concluded(text, **known).symptoms or ()]
    assert ("torch-of-another-interpreter" in found) is seen


@pytest.mark.parametrize(
    "printed",
    [
        "('2.1.0+cu118', 'C:\\\\Users\\\\me\\\\site-packages\\\\torch\\\\__init__.py')",
        "2.1.0+cu118 /usr/lib/python3/dist-packages/torch/__init__.py",
    ],
)
def test_an_import_that_took_another_release(printed: str) -> None:
    facts = _concluded(f">>> torch.__version__, torch.__file__\n{printed}\n", torch__version="2.1.0+cu118", packages__torch="2.5.1+cu124")  # fmt: skip
    assert "torch-versions-differ" in [s.id for s in facts.symptoms or ()]


@pytest.mark.parametrize(
    ("pair", "word", "machine", "translated"),
    [
        ("have 'arm64', need 'x86_64'", "opened using Rosetta", "x86_64", True),
        ("have 'arm64', need 'x86_64'", "", "x86_64", None),
        ("have 'x86_64', need 'arm64'", "", "aarch64", None),
        ("have 'x86_64', need 'arm64e' or 'arm64'", "Rosetta?", "aarch64", None),
    ],
)
def test_the_loader_of_macos_names_the_machine(pair: str, word: str, machine: str, translated: bool | None) -> None:
    text = f"tried: '/a/_C.so' (mach-o file, but is an incompatible architecture ({pair}))\n{word}\n"
    facts = _concluded(text, system__os="macos")
    assert (facts.python.machine, facts.system.translated) == (machine, translated)


@pytest.mark.parametrize(("second", "seen"), [("/home/me/.local/lib/python3.12/site-packages", True), ("", False)])
def test_two_folders_and_two_versions(second: str, seen: bool) -> None:
    found = f"/usr/lib/python3.12/dist-packages/torch/lib/libtorch.so\n{second and second + '/torch/lib/libtorch.so'}\n"
    text = found + "$ python3 -c 'import torch; print(torch.__version__)'\n2.6.0+cu124\n"
    facts = _concluded(text, packages__torch="2.9.1", torch__version="2.9.1")
    assert ([s.id for s in facts.symptoms or ()] == ["torch-versions-differ"]) is seen
    assert not _concluded(text, packages__torch="2.6.0+cu124", torch__version="2.6.0+cu124").symptoms
