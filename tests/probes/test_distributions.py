from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.distributions import (
    canonical,
    conda_packages,
    metadata_head,
    record_files,
    requirements,
    scan,
    wheel_tags,
)
from torchdoctor.probes.live import LiveHost

Sites = Callable[..., Any]


@pytest.fixture
def here() -> LiveHost:
    return LiveHost({})


def test_the_name_an_index_knows() -> None:
    assert canonical("Flash_Attn") == canonical("flash.-_attn") == "flash-attn"


def test_a_folder_of_distributions(site: Sites, here: LiveHost) -> None:
    place = site()
    place.add("Flash-Attn", "2.7.4")
    (place.root / "old_thing-1.0-py3.8.egg-info").mkdir()
    found = scan(here, str(place.root))
    assert [(d.name, d.version) for d in found.found] == [("flash-attn", "2.7.4"), ("old-thing", "1.0")]
    assert (found.missing, found.broken) == (None, None)
    assert "Flash_Attn-2.7.4.dist-info" in found.names


def test_a_folder_that_is_not_there_holds_none(here: LiveHost, tmp_path: Path) -> None:
    found = scan(here, str(tmp_path / "nowhere"))
    assert (found.found, found.missing) == ((), None)


def test_what_is_broken_is_said(site: Sites, here: LiveHost) -> None:
    place = site()
    (place.root / "thing.dist-info").mkdir()
    (place.root / "~orch-2.5.1.dist-info").mkdir()
    found = scan(here, str(place.root))
    assert found.broken == {
        "thing": "its metadata names no version",
        "~orch": "its folder is named like no distribution",
    }


def test_requirements_that_hold_without_an_extra(site: Sites, here: LiveHost) -> None:
    place = site()
    place.add("thing", "1.0", requires=("torch>=2.5", 'numpy; extra == "np"', 'triton; sys_platform == "linux"'))
    (one,) = scan(here, str(place.root)).found
    assert list(requirements(metadata_head(here, one))) == ["torch>=2.5", 'triton; sys_platform == "linux"']
    assert b"A description" not in metadata_head(here, one)
    assert list(requirements(b"")) == []


def test_tags_and_purity(site: Sites, here: LiveHost) -> None:
    place = site()
    place.add("pure", "1.0")
    place.add("made", "1.0", tag="cp312-cp312-linux_x86_64")
    found = {d.name: wheel_tags(here, d) for d in scan(here, str(place.root)).found}
    assert found == {"pure": (("py3-none-any",), True), "made": (("cp312-cp312-linux_x86_64",), False)}
    (place.root / "pure-1.0.dist-info" / "WHEEL").unlink()
    (pure,) = [d for d in scan(here, str(place.root)).found if d.name == "pure"]
    assert wheel_tags(here, pure) == (None, None)


def test_the_record_names_files_inside_its_folder_only(site: Sites, here: LiveHost) -> None:
    place = site()
    place.add("thing", "1.0", files={"thing/a.so": b"", "thing/b.py": ""})
    (one,) = scan(here, str(place.root)).found
    record = Path(one.metadata) / "RECORD"
    record.write_text(record.read_text() + "../../etc/evil.so,,\n/abs.so,,\nC:/x.so,,\n~/y.so,,\n")
    assert record_files(here, one, (".so",)) == ("thing/a.so",)
    record.unlink()
    assert record_files(here, one, (".so",)) is None


def test_packages_of_conda(here: LiveHost, tmp_path: Path) -> None:
    assert conda_packages(here, str(tmp_path)) is None
    meta = tmp_path / "conda-meta"
    meta.mkdir()
    for name in ("pytorch-2.5.1-py3.12_cuda12.4_0.json", "mkl-2024.0.0-h_1.json", "history", "odd.json"):
        (meta / name).write_text("{}")
    found = conda_packages(here, str(tmp_path))
    assert found is not None
    assert {k: v[:2] for k, v in found.items()} == {
        "pytorch": ("2.5.1", "py3.12_cuda12.4_0"),
        "mkl": ("2024.0.0", "h_1"),
    }
