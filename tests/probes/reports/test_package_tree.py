from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_UV = (
    "$ uv tree\nResolved 62 packages in 4ms\napp v1.0.0\n├── torch v2.13.0\n│   ├── cuda-toolkit[cublas, cudart] v13.0.2\n"
    "│   │   └── nvidia-cuda-runtime v13.0.96 (extra: cudart)\n│   └── triton v3.7.1\n└── torchvision v0.28.0\n    └── torch v2.13.0 (*)\n"
)


def test_uv_tree(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_UV)
    assert facts.packages == {
        "torch": "2.13.0",
        "cuda-toolkit": "13.0.2",
        "nvidia-cuda-runtime": "13.0.96",
        "triton": "3.7.1",
        "torchvision": "0.28.0",
    }
    assert (facts.torch.variant, facts.system.os) == ("cu130", "linux")
    assert read_text(_UV, "x").kind == "package_tree"


@pytest.mark.parametrize(
    "text",
    [
        "torchvision==0.17.2\n├── numpy [required: Any, installed: 1.26.4]\n└── torch [required: ==2.2.2, installed: 2.2.2+cu118]\n",
        "torchvision==0.17.2\n  - numpy [required: Any, installed: 1.26.4]\n  - torch [required: ==2.2.2, installed: 2.2.2+cu118]\n",
        "torchvision 0.17.2 [ Not required ]\n├── numpy 1.26.4 [ required: Any ]\n└── torch 2.2.2+cu118 [ required: ==2.2.2 ]\n",
        "app v0.1.0\n|-- numpy v1.26.4\n`-- torch v2.2.2+cu118\n",
    ],
)
def test_other_trees(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert facts.packages is not None and facts.packages["numpy"] == "1.26.4"
    assert (facts.packages["torch"], facts.torch.variant) == ("2.2.2+cu118", "cu118")


def test_branches_for_other_systems_are_left_alone(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_UV.replace("uv tree", "uv tree --universal"))
    assert facts.torch.variant is None and facts.system.os is None


def test_a_tree_of_files_is_none(facts_of: Callable[[str], Facts]) -> None:
    text = "models\n├── weights v2\n│   └── v1.5.0.bin\n└── notes [draft]\n"
    assert facts_of(text).packages is None and read_text(text, "x").kind == "free_text"
