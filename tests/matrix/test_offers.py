"""What an offered list gives away, taken over as facts of the interpreter and the system."""

from __future__ import annotations

from typing import Any

from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.offers import adopt_offer, read_offer
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping

INTEL_MAC = {"torch": "2.4.1", "versions_offered": ["2.2.0", "2.2.1", "2.2.2"]}


def adopted(**facts: Any) -> Facts:
    return adopt_offer(infer(facts_from_mapping(facts)))


def test_the_list_stands_for_what_nothing_else_tells() -> None:
    facts = adopted(request=INTEL_MAC)
    assert (facts.python.version, facts.python.machine, facts.system.os) == ("3.12", "x86_64", "macos")
    assert facts.sources["python.version"].startswith("matrix: the versions pip offered")
    assert facts.sources["system.os"].endswith("(inferred)")


def test_what_the_report_says_stands() -> None:
    facts = adopted(request=INTEL_MAC, python={"version": "3.12.7", "machine": "x86_64"}, system={"os": "macos"})
    assert facts.python.version == "3.12.7"
    assert "python.version" not in facts.sources


def test_an_intel_interpreter_on_apple_silicon() -> None:
    offered = ["2.0.0", "2.0.1", "2.1.0", "2.2.2"]
    facts = adopted(
        request={"torch": "2.4.1", "versions_offered": offered}, system={"os": "macos", "machine": "aarch64"}
    )
    assert (facts.system.machine, facts.python.machine, facts.python.version) == ("aarch64", "x86_64", "3.11")


def test_a_system_without_its_machine() -> None:
    facts = adopted(request={"torch": "2.4.1", "versions_offered": ["2.6.0", "2.7.0"]}, system={"os": "windows"})
    assert (facts.python.version, facts.python.machine) == ("3.13", "x86_64")
    both = adopted(request={"torch": "1.13.1", "versions_offered": ["2.0.0", "2.1.0"]}, system={"os": "macos"})
    assert (both.python.version, both.python.machine) == ("3.11", None)


def test_a_request_of_the_report_is_not_taken_for_the_interpreter() -> None:
    facts = adopted(request={"torch": "2.4.1", "python": "cp313", "platform": "win_amd64"})
    assert (facts.python.version, facts.system.os) == (None, None)


def test_facts_without_an_offer_come_back_as_they_are() -> None:
    given = infer(facts_from_mapping({"gpus": [{"name": "RTX 3090"}]}))
    assert adopt_offer(given) is given


def test_the_limit_of_an_old_libc() -> None:
    request = {"torch": "2.7.0", "versions_offered": ["2.2.0", "2.5.1", "2.6.0"]}
    offer = read_offer(facts_from_mapping({"request": request}))
    assert (offer.python, offer.platform, offer.limit) == ("3.12", "linux_x86_64", "glibc<2.28")
