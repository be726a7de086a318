from __future__ import annotations

import pytest
from torchdoctor.probes.draft import Draft


def test_the_first_answer_of_the_highest_rank_wins() -> None:
    draft = Draft()
    draft.put("system.os", "linux", "uname")
    draft.put("system.os", "windows", "guess")
    assert draft.held("system.os") == (0, "linux", "uname")
    draft.put("system.os", "macos", "sw_vers", rank=2)
    draft.put("system.os", "linux", "late", rank=1)
    draft.put("system.os", None, "nobody", rank=9)
    assert (draft.value("system.os"), draft.value("system.name")) == ("macos", None)
    facts = draft.build()
    assert (facts.system.os, facts.source("system.os")) == ("macos", "sw_vers")


def test_a_reason_is_dropped_once_the_fact_is_known() -> None:
    draft = Draft()
    draft.miss("system.name", "no file")
    draft.miss("system.name", "a later word")
    draft.miss("system.os", "no uname")
    draft.put("system.os", "linux", "uname")
    assert draft.build().unknown == {"system.name": "no file"}


def test_names_with_dots_are_one_step() -> None:
    draft = Draft()
    draft.put("packages.ruamel.yaml", "0.18", "dist-info")
    draft.put("devices./dev/dri/renderD128.openable", False, "stat")
    facts = draft.build()
    assert facts.packages == {"ruamel.yaml": "0.18"}
    assert facts.devices is not None and facts.devices["/dev/dri/renderD128"].openable is False


def test_a_mapping_that_was_looked_at_is_known_though_empty() -> None:
    draft = Draft()
    assert draft.build().packages is None
    draft.mapping("packages", "site-packages")
    facts = draft.build()
    assert (facts.packages, facts.source("packages.torch")) == ({}, "site-packages")


def test_gpus_are_kept_apart_until_somebody_merges_them() -> None:
    draft = Draft()
    draft.gpu("lspci", vendor="nvidia", pci_id="10de:2684", address="0000:01:00.0")
    draft.gpu("nvidia-smi", vendor="nvidia", name="NVIDIA GeForce RTX 4090")
    draft.no_gpus("nobody")
    facts = draft.build()
    assert [(g.pci_id, g.name) for g in facts.gpus or ()] == [("10de:2684", None), (None, "NVIDIA GeForce RTX 4090")]
    assert facts.source("gpus[1].name") == "nvidia-smi"
    with pytest.raises(TypeError, match="colour"):
        draft.gpu("lspci", colour="red")


def test_no_gpu_at_all_can_be_said_and_taken_back() -> None:
    draft = Draft()
    assert draft.build().gpus is None
    draft.no_gpus("/sys/bus/pci")
    draft.no_gpus("later")
    assert (draft.build().gpus, draft.build().source("gpus")) == ((), "/sys/bus/pci")
    assert draft.forget_no_gpus() == "/sys/bus/pci"
    assert draft.build().gpus is None


def test_a_text_is_kept_once_and_settings_once_looked_for_are_known() -> None:
    draft = Draft()
    draft.symptom("oom", "first", 3)
    draft.symptom("oom", "second", 9)
    assert [(s.text, s.line) for s in draft.build().symptoms or ()] == [("first", 3)]
    assert draft.build().settings is None
    draft.settings_read()
    assert draft.build().settings == ()
    draft.setting("pip.conf", 2, "index-url", "https://x")
    assert [(s.file, s.line) for s in draft.build().settings or ()] == [("pip.conf", 2)]


def test_merging_adds_to_the_ranks() -> None:
    mine, other = Draft(), Draft()
    mine.put("system.os", "linux", "mine", rank=1)
    other.put("system.os", "windows", "other")
    other.put("system.name", "Ubuntu", "other")
    other.miss("cpu.model", "not there")
    other.gpu("other", vendor="amd")
    other.symptom("oom", "text")
    other.setting("pip.conf", 1, "k", "v")
    mine.merge(other, rank=1)
    facts = mine.build()
    assert (facts.system.os, facts.system.name) == ("linux", "Ubuntu")
    assert facts.unknown == {"cpu.model": "not there"}
    assert (len(facts.gpus or ()), len(facts.symptoms or ()), len(facts.settings or ())) == (1, 1, 1)
    mine.merge(other, rank=2)
    assert mine.value("system.os") == "windows"


def test_taking_a_fact_back() -> None:
    draft = Draft()
    draft.put("python.bits", 48, "x")
    draft.put("cpu.features", ["avx", 7], "x")
    draft.gpu("x", vendor="nvidia", memory=-1)
    assert draft.drop("python.bits", "nonsense")
    assert draft.drop("cpu.features[1]", "no text")
    assert draft.drop("gpus[0].memory", "negative")
    assert not draft.drop("gpus[0].memory", "gone already")
    assert not draft.drop("gpus[4].memory", "no such card")
    assert not draft.drop("system.os", "never there")
    facts = draft.build()
    assert (facts.python.bits, facts.cpu.features) == (None, None)
    assert facts.unknown == {"cpu.features": "no text", "gpus[0].memory": "negative", "python.bits": "nonsense"}
