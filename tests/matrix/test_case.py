from __future__ import annotations

from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.probes.profile import facts_from_mapping

PROFILE = {
    "system": {"os": "linux", "translated": False},
    "gpus": [
        {"vendor": "intel", "name": "Intel UHD Graphics 770"},
        {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090"},
    ],
    "packages": {"torch": "2.5.1"},
    "torch": {"kernels": ["sm_80", "sm_90"]},
    "symptoms": [{"id": "oom", "text": "out of memory"}, {"id": "cuda-error-802", "text": "not initialized"}],
}


def _case(catalog: Catalog) -> Case:
    facts = facts_from_mapping(PROFILE).replace(sources={"torch": "torch/version.py"})
    return Case(facts=facts, catalog=catalog, asked=Asked())


def test_evidence_holds_known_facts_only_with_where_they_were_read(catalog: Catalog) -> None:
    rows = _case(catalog).evidence("torch.kernels", "cpu.model", "system.translated", "gpus[1]", here="2.15")
    assert [(r.fact, r.value, r.source) for r in rows] == [
        ("torch.kernels", "sm_80 sm_90", "torch/version.py"),
        ("system.translated", "no", None),
        ("gpus[1]", "NVIDIA GeForce RTX 4090", None),
        ("here", "2.15", None),
    ]


def test_gpus_keep_their_place_in_the_facts(catalog: Catalog) -> None:
    case = _case(catalog)
    assert [(i, g.name) for i, g in case.gpus("nvidia")] == [(1, "NVIDIA GeForce RTX 4090")]
    assert case.gpus("amd") == ()


def test_packages_and_symptoms_that_are_not_there(catalog: Catalog) -> None:
    case = _case(catalog)
    assert (case.package("torch"), case.package("numpy")) == ("2.5.1", None)
    assert case.symptom("cuda-error-802", "nothing") == ((1, "not initialized"),)
    nothing = Case(facts=facts_from_mapping({}), catalog=catalog, asked=Asked())
    assert (nothing.package("torch"), nothing.symptom("oom"), nothing.gpus("nvidia")) == (None, (), ())
