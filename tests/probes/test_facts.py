from __future__ import annotations

import dataclasses

import pytest
from torchdoctor.probes.facts import Drivers, Facts, Gpu, NvidiaDriver, Symptom

KNOWN = Facts(
    gpus=(Gpu(vendor="nvidia", name="A"), Gpu(vendor="amd", gfx="gfx1100")),
    drivers=Drivers(nvidia=NvidiaDriver(version="550.54.14")),
    packages={"torch": "2.5.1", "ruamel.yaml": "0.18"},
    symptoms=(),
    sources={"gpus": "lspci", "gpus[1].gfx": "rocminfo", "drivers.nvidia.version": "/sys"},
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("drivers.nvidia.version", "550.54.14"),
        ("gpus[1].gfx", "gfx1100"),
        ("packages.torch", "2.5.1"),
        ("symptoms", ()),
        ("gpus[0].gfx", None),
        ("gpus[7].name", None),
        ("packages.numpy", None),
        ("environment.PATH", None),
        ("no.such.path", None),
    ],
)
def test_a_fact_by_its_path(path: str, value: object) -> None:
    assert KNOWN.get(path) == value


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("gpus[1].gfx", "rocminfo"),
        ("gpus[0].name", "lspci"),  # of its whole
        ("gpus", "lspci"),
        ("drivers.nvidia.version", "/sys"),
        ("drivers.nvidia.cuda", None),
        ("", None),
    ],
)
def test_a_part_inherits_the_source_of_its_whole(path: str, source: str | None) -> None:
    assert KNOWN.source(path) == source


def test_nothing_is_known_until_it_is_said() -> None:
    nothing = Facts()
    groups = {f.name: getattr(nothing, f.name) for f in dataclasses.fields(Facts)}
    leaves = [v for g in groups.values() if dataclasses.is_dataclass(g) for v in dataclasses.astuple(g)]  # type: ignore[arg-type]
    assert {v for v in leaves if not isinstance(v, tuple)} == {None}
    assert {nothing.gpus, nothing.settings, nothing.symptoms} == {None} and nothing.packages is None


def test_a_copy_leaves_the_original_alone() -> None:
    changed = KNOWN.replace(symptoms=(Symptom(id="x"),))
    assert (KNOWN.symptoms, len(changed.symptoms or ())) == ((), 1)
    with pytest.raises((AttributeError, TypeError)):
        KNOWN.gpus = None  # type: ignore[misc]
