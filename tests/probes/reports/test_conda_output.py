from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts


def test_conda_plan_and_virtual_packages(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  cpuonly            pytorch/noarch::cpuonly-2.0-0\n  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0\n"
        "virtual packages : __cuda=12.4=0\n                   __glibc=2.27=0\n                   __archspec=1=x86_64\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.system.os) == ("1.10.0", "cpu", "windows")
    assert (facts.system.libc_version, facts.drivers.nvidia.cuda) == ("2.27", "12.4")


def test_conda_cannot_find(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Channels:\n - pytorch\nPackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch=2.6*\n"
    )
    ids = [s.id for s in facts.symptoms or ()]
    assert "conda-not-found" in ids and "conda-pytorch-channel" in ids
    assert (facts.request.torch, facts.torch.version) == ("2.6", None)


def test_pixi_finds_no_candidate(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("$ pixi add pytorch==2.8 --channel pytorch\n  help: No candidates were found for pytorch ==2.8.\n")
    assert {s.id for s in facts.symptoms or ()} == {"conda-not-found", "conda-pytorch-channel"}
    assert facts.request.torch is not None and facts.request.torch.endswith("2.8")
