from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.installers import Target
from torchdoctor.installers.target import (
    InstallerError,
    any_of,
    checked,
    checked_url,
    groups,
    index_name,
    index_of,
    keep_apart,
    label,
    marker,
    minor,
    no_control,
    on_own_index,
    pins,
    replaces_same_version,
    requires_python,
    without_credentials,
)
from torchdoctor.probes.facts import Python, System
from torchdoctor.quote import QuoteError

Make = Callable[..., Target]
ROOT = "https://download.pytorch.org/whl"


@pytest.mark.parametrize(
    ("default", "base", "url"),
    [
        (False, None, f"{ROOT}/cu126"),
        (False, "https://mirror.invalid/whl/", "https://mirror.invalid/whl/cu126"),
        (True, "https://mirror.invalid/whl", None),  # the default index is configured elsewhere
    ],
)
def test_the_index_to_ask(target: Make, default: bool, base: str | None, url: str | None) -> None:
    assert index_of(target("2.14.1", "cu126", default=default).recommendation, base) == url


@pytest.mark.parametrize("url", ["ftp://x", "https://x y", "x", "https://x/\n", "file:x"])
def test_what_is_no_url_of_an_index_is_refused(url: str) -> None:
    with pytest.raises(InstallerError, match="is not the URL of an index"):
        checked_url(url)


def test_a_url_keeps_everything_but_its_credentials() -> None:
    assert checked_url("file:///srv/wheels") == "file:///srv/wheels"
    assert without_credentials("https://u:p@host/simple") == "https://host/simple"
    with pytest.raises(InstallerError) as error:
        checked_url("https://user:secret@host/ x")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(("name", "version"), [("torch vision", "1"), ("torchvision", "1; x"), ("", "1"), ("a", "")])
def test_names_and_versions_that_are_none_are_refused(target: Make, name: str, version: str) -> None:
    with pytest.raises(InstallerError):
        checked(target("2.14.1", "cpu", **{name: version}).recommendation)


@pytest.mark.parametrize(
    ("variant", "system", "default", "held"),
    [
        ("cu126", "linux", False, "cu126"),
        ("cu126", "linux", True, None),  # the default index cuts labels off
        ("cpu", "linux", False, "cpu"),
        ("cpu", "arm", False, None),
        ("cpu", "mac", False, None),
    ],
)
def test_the_label_that_wheels_carry(target: Make, variant: str, system: str, default: bool, held: str | None) -> None:
    assert label(target("2.14.1", variant, system=system, default=default)) == held


def test_pins_hold_torch_to_its_build(target: Make) -> None:
    chosen = target("2.14.1", "cu126", torchvision="0.29.1").recommendation
    assert pins(chosen) == ["torch==2.14.1", "torchvision==0.29.1"]
    assert pins(chosen, "cu126") == ["torch==2.14.1+cu126", "torchvision==0.29.1"]
    assert pins(target("2.14.1+cu126", "cu126").recommendation, "cu126") == ["torch==2.14.1+cu126"]


@pytest.mark.parametrize(
    ("installed", "default", "again"),
    [
        ({"torch": "2.14.1+cpu"}, False, True),
        ({"torch": "2.14.1+cu126"}, False, False),
        ({"torch": "2.14.1"}, False, True),  # says nothing of its variant
        ({"torch": "2.14.0+cpu"}, False, False),  # another number is replaced anyhow
        ({"torch": "2.14.1+cpu"}, True, True),
        ({"torch": "2.14.1"}, True, False),
        ({}, False, False),
        (None, False, False),
    ],
)
def test_another_build_of_that_number_is_there(
    target: Make, installed: dict[str, str] | None, default: bool, again: bool
) -> None:
    assert replaces_same_version(target("2.14.1", "cu126", default=default, installed=installed)) == again


@pytest.mark.parametrize(
    ("system", "text"),
    [
        (System(os="linux", machine="x86_64"), "sys_platform == 'linux' and platform_machine == 'x86_64'"),
        (System(os="windows", machine="x86_64"), "sys_platform == 'win32' and platform_machine == 'AMD64'"),
        (System(os="macos", machine="aarch64"), "sys_platform == 'darwin' and platform_machine == 'arm64'"),
    ],
)
def test_markers_speak_pythons_names(system: System, text: str) -> None:
    assert marker(system) == text
    assert marker(system, "3.12") == f"{text} and python_version == '3.12'"


@pytest.mark.parametrize(
    ("system", "says"),
    [
        (System(machine="x86_64"), r"system\.os is not known"),
        (System(os="linux"), r"system\.machine is not known"),
        (System(os="linux", machine="x' or 'a"), "is not the name of a machine"),
    ],
)
def test_a_machine_no_marker_can_name(system: System, says: str) -> None:
    with pytest.raises(InstallerError, match=says):
        marker(system)
    assert any_of(["a", "b"]) == "(a) or (b)"
    assert any_of(["a"]) == "a"


def test_machines_are_grouped_by_platform_and_where_needed_by_interpreter(target: Make) -> None:
    same = [target("2.14.1", "cu126", python="3.11.1"), target("2.14.1", "cu126", python="3.12.1")]
    assert [g.marker for g in groups(same)] == ["sys_platform == 'linux' and platform_machine == 'x86_64'"]
    split = [target("2.14.1", "cu126", python="3.11.1"), target("2.15.0", "cu132", python="3.12.1")]
    assert [g.marker[-24:] for g in groups(split)] == ["python_version == '3.11'", "python_version == '3.12'"]
    with pytest.raises(InstallerError, match="no marker tells apart"):
        groups([target("2.14.1", "cu126"), target("2.15.0", "cu132")])
    with pytest.raises(InstallerError, match="no marker tells apart"):
        groups([target("2.14.1", "cu126", python=None), target("2.15.0", "cu132")])


def test_builds_without_a_label_cannot_be_searched_together(target: Make) -> None:
    fine = groups([target("2.14.1", "cu126"), target("2.14.1", "cpu", system="mac")])
    keep_apart(fine, "PDM")
    both = groups([target("2.14.1", "cu126"), target("2.14.1", "cpu", system="arm")])
    with pytest.raises(InstallerError, match=r"PDM cannot keep torch 2\.14\.1 for cpu apart"):
        keep_apart(both, "PDM")


def test_every_build_is_on_an_index_of_its_own_too(target: Make) -> None:
    own = on_own_index(target("2.15.0", "cu132", default=True))
    assert own.recommendation.index_url == f"{ROOT}/cu132"
    mac = on_own_index(target("2.15.0", "mps", default=True, system="mac"))
    assert mac.recommendation.index_url == f"{ROOT}/cpu"
    there = target("2.14.1", "cu126")
    assert on_own_index(there) is there


@pytest.mark.parametrize(
    ("version", "found"),
    [("3.12.4", "3.12"), ("3.12", "3.12"), ("3", None), ("3.x", None), (None, None), ('3.1"', None)],
)
def test_the_line_of_an_interpreter(version: str | None, found: str | None) -> None:
    assert minor(Python(version=version)) == found


def test_the_range_of_interpreters(target: Make) -> None:
    assert requires_python([target("2.14.1", "cpu", python=v) for v in ("3.12.1", "3.10.9")]) == ">=3.10,<3.13"
    assert requires_python([target("2.14.1", "cpu", python=v) for v in ("3.12.1", None)]) is None
    assert requires_python([]) is None


def test_names_of_indexes_and_words_that_can_be_printed(target: Make) -> None:
    assert index_name(target("2.14.1", "rocm7.2").recommendation) == "pytorch-rocm7-2"
    assert no_control("a b") == "a b"
    with pytest.raises(QuoteError):
        no_control("a\x1b[31m")
