from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.checks._leads import index_variant, leads, shut_out, source_index, where
from torchdoctor.probes.facts import Facts, Setting
from torchdoctor.probes.profile import facts_from_mapping

WHL = "https://download.pytorch.org/whl"


def _facts(*settings: tuple[str, str], **system: Any) -> Facts:
    rows = [{"file": "pyproject.toml", "key": key, "value": value} for key, value in settings]
    return facts_from_mapping({"settings": rows, "system": system})


@pytest.mark.parametrize(
    ("url", "variant"),
    [
        (f"{WHL}/cu124", "cu124"),
        (f"{WHL}/cu124/", "cu124"),
        (f"{WHL}/rocm6.2.4", "rocm6.2.4"),
        (f"{WHL}/nightly/xpu", "xpu"),
        (f"{WHL}/cpu torch", "cpu"),
        ("https://mirror.invalid/pytorch/whl/cu118", "cu118"),
        (WHL, None),
        (f"{WHL}/cu124abc", None),
        ("https://mirror.invalid/simple", None),
        (None, None),
    ],
)
def test_the_variant_of_an_index(url: str | None, variant: str | None) -> None:
    assert index_variant(url) == variant


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Setting(file="pip.conf", line=2, key="index-url"), "pip.conf, line 2 (index-url)"),
        (Setting(file="pip.conf", key="index-url"), "pip.conf (index-url)"),
        (Setting(file="environment", key="PIP_INDEX_URL"), "the variable PIP_INDEX_URL"),
        (Setting(key="PIP_INDEX_URL"), "the variable PIP_INDEX_URL"),
    ],
)
def test_where_people_find_a_setting(setting: Setting, words: str) -> None:
    assert where(setting) == words


def test_settings_that_lead_to_a_variant() -> None:
    facts = _facts(
        ("index-url", f"{WHL}/cpu"),
        ("extra-index-url", f"{WHL}/cu124"),
        ("UV_TORCH_BACKEND", "cu126"),
        ("UV_TORCH_BACKEND", "auto"),
        ("tool.uv.torch-backend", "no such thing"),
        ("timeout", f"{WHL}/cu118"),
    )
    found = [(lead.place, lead.variant, lead.tool, lead.main) for lead in leads(facts)]
    assert found == [(0, "cpu", "pip", True), (1, "cu124", "pip", False), (2, "cu126", "uv", True)]


def test_a_source_leads_where_its_index_does() -> None:
    facts = _facts(
        ("tool.uv.index.pytorch-cu", f"{WHL}/cu128"),
        ("tool.uv.sources.torch", "[{ index = 'pytorch-cu', marker = \"sys_platform == 'linux'\" }]"),
        os="linux",
    )
    assert [(lead.variant, lead.tool) for lead in leads(facts)] == [("cu128", "uv")]
    elsewhere = facts.replace(system=facts_from_mapping({"system": {"os": "windows"}}).system)
    assert list(leads(elsewhere)) == []


def test_markers_choose_the_index_or_shut_the_machine_out() -> None:
    value = '[{ index = "cpu", marker = "sys_platform == \'darwin\'" }, { index = "cu", marker = "sys_platform == \'linux\'" }]'
    assert source_index(value, _facts(os="linux")) == "cu"
    assert source_index(value, _facts(os="macos")) == "cpu"
    assert not shut_out(value, _facts(os="macos"))
    assert shut_out(value, _facts(os="windows"))
    assert not shut_out(value, _facts())  # the system is not known
    assert not shut_out('{ index = "cu" }', _facts(os="windows"))


def test_nothing_set_leads_nowhere() -> None:
    assert list(leads(Facts())) == []
