from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts

FactsOf = Callable[[str], Facts]


def _ids(facts: Facts) -> list[str | None]:
    return [s.id for s in facts.symptoms or ()]


def test_intels_extension_names_the_torch_that_it_found(facts_of: FactsOf) -> None:
    facts = facts_of(
        "ERROR! Intel® Extension for PyTorch* needs to work with PyTorch 2.3.*, but PyTorch 2.2.1+cpu is found. "
        "Please switch to the matching version and run again.\n"
    )
    assert (facts.torch.version, facts.torch.variant) == ("2.2.1+cpu", "cpu")
    assert "ipex-needs-other-torch" in _ids(facts)


def test_xformers_names_the_interpreter_it_found(facts_of: FactsOf) -> None:
    facts = facts_of(
        "    PyTorch 2.5.1+cu121 with CUDA 1201 (you have 2.6.0+cpu)\n    Python  3.10.11 (you have 3.10.6)\n"
    )
    assert facts.python.version == "3.10.6"


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (
            "site-packages/torch/lib/libtorch.so: ELF 64-bit LSB shared object, x86-64, version 1",
            "torch-library-x86_64",
        ),
        ("torch/_C.so: ELF 64-bit LSB shared object, ARM aarch64, version 1", "torch-library-aarch64"),
        ("/usr/lib/libz.so: ELF 64-bit LSB shared object, x86-64, version 1", None),
    ],
)
def test_what_a_library_of_torch_was_built_for(facts_of: FactsOf, line: str, id: str | None) -> None:
    found = [i for i in _ids(facts_of(line)) if i and i.startswith("torch-library")]
    assert found == ([id] if id else [])
