from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


def _ids(facts: Facts) -> list[str | None]:
    return [s.id for s in facts.symptoms or ()]


def test_a_distribution_without_a_wheel(facts_of: Callable[[str], Facts]) -> None:
    text = (
        "Using CPython 3.14.0\nerror: Distribution `torch==2.8.0 @ registry+https://download.pytorch.org/whl/cu128` can't be installed because it "
        "doesn't have a source distribution or wheel for the current platform\n\n"
        "hint: You're using CPython 3.14 (`cp314`), but `torch` (v2.8.0) only has wheels with the following Python ABI tags: `cp312`, `cp313`, `cp313t`\n"
    )
    facts = facts_of(text)
    assert (facts.python.version, facts.python.implementation, facts.python.free_threaded) == (
        "3.14.0",
        "cpython",
        False,
    )
    assert (facts.request.torch, facts.request.variant, facts.request.installer) == ("2.8.0", "cu128", "uv")
    assert _ids(facts) == ["uv-no-wheel", "uv-abi-hint"]
    assert read_text(text, "x").kind == "uv_error"


def test_the_older_wording(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "error: found distribution torch==1.10.0 @ registry+https://index.example/simple with neither wheels nor source distribution\n"
    )
    assert facts.request.torch == "1.10.0"


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("manylinux_2_36_aarch64", ("linux", "aarch64", "glibc", "2.36", None)),
        ("musllinux_1_2_x86_64", ("linux", "x86_64", "musl", None, None)),
        ("macosx_15_0_x86_64", ("macos", "x86_64", None, None, "15")),
        ("win_arm64", ("windows", "aarch64", None, None, None)),
    ],
)
def test_a_platform_hint(facts_of: Callable[[str], Facts], tag: str, expected: tuple[str | None, ...]) -> None:
    facts = facts_of(
        f"hint: You're on Linux (`{tag}`), but `torch` (v2.6.0) only has wheels for the following platform: `macosx_11_0_arm64`\n"
    )
    system = facts.system
    assert (system.os, system.machine, system.libc, system.libc_version, system.version) == expected


def test_a_wrapped_reason(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  × No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.7.0+cu118 has no wheels with a matching\n      platform tag (e.g., "
        "`manylinux_2_27_x86_64`), we can conclude that\n      torch==2.7.0 cannot be used.\n      And because you require torch==2.7.0, we can conclude "
        "that your\n      requirements are unsatisfiable.\n"
    )
    assert (facts.system.libc_version, facts.request.torch, facts.request.variant) == ("2.27", "2.7.0", "cu118")


def test_the_debug_log(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "DEBUG Found `cpython-3.13.0+freethreaded-windows-x86_64-none` at `D:\\work\\.venv\\Scripts\\python.exe` (active virtual environment)\n"
        "DEBUG Adding direct dependency: torch>=2.3.0, <2.3.0+\n"
    )
    assert (facts.python.version, facts.python.free_threaded, facts.python.machine) == ("3.13.0", True, "x86_64")
    assert (facts.system.os, facts.request.torch) == ("windows", "2.3.0")


def test_two_pins(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Because vllm==0.6.3 depends on torch==2.4.0 and you require torch==2.5.1, we can conclude that your requirements are unsatisfiable.\n"
    )
    assert "pin-conflict" in _ids(facts)
    assert facts.request.torch == "2.5.1"


def test_another_distribution(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "error: Distribution `markupsafe==3.0.2 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because\n"
    )
    assert _ids(facts) == ["uv-no-wheel-other"]
    assert facts.request.torch is None


def test_what_was_added(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("Resolved 2 packages in 3ms\n + torch==2.6.0\n - numpy==1.26.0\n + numpy==2.1.0\n")
    assert facts.packages == {"torch": "2.6.0", "numpy": "2.1.0"}


def test_the_first_index_that_has_the_name(facts_of: Callable[[str], Facts]) -> None:
    text = (
        "  hint: `tqdm` was found on https://download.pytorch.org/whl/cu126,\n      but not at the requested version (tqdm>=4.67). A compatible\n"
        "      version may be available on a subsequent index (e.g., https://index.example/simple).\n"
    )
    assert _ids(facts_of(text)) == ["uv-first-index"]
    assert read_text(text, "x").kind == "uv_error"
