from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts


def test_pyproject(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '[project]\ndependencies = [\n  "torch>=2.6,<3",\n]\n[tool.uv.sources]\ntorch = [ { index = "pytorch-cu128", marker = "sys_platform == \'linux\'" } ]\n'
        '[[tool.uv.index]]\nname = "pytorch-cu128"\nurl = "https://download.pytorch.org/whl/cu128"\nexplicit = true\n'
    )
    assert (facts.request.torch, facts.request.variant) == (">=2.6,<3", "cu128")
    assert facts.settings is not None
    assert any("sys_platform" in (s.value or "") for s in facts.settings)
    assert facts.torch.version is None


def test_a_bad_requirement_name(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of('dependencies = [\n  "torch+cpu>=2.6,<3",\n]\n')
    assert "requirement-bad-name" in [s.id for s in facts.symptoms or ()]
    assert facts.request.torch == ">=2.6,<3"


def test_what_poetry_finds_no_candidate_for(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "    | Unable to find installation candidates for torch (2.6.0)\n    |   - 20 candidate(s) were identified\n"
    )
    assert (facts.request.torch, facts.request.installer) == ("2.6.0", "poetry")


def test_what_pdm_could_not_install(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  ✖ Install torch 2.1.2 failed\nPython Interpreter:\n  C:\\dev\\.venv\\Scripts\\python.exe (3.12)\n"
    )
    assert (facts.request.torch, facts.request.installer, facts.python.version) == ("2.1.2", "pdm", "3.12")
    assert facts.torch.version is None
