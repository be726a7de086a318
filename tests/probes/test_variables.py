from __future__ import annotations

import pytest
from torchdoctor.probes.variables import allowed, allowed_variables, without_credentials


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("CUDA_VISIBLE_DEVICES", True),
        ("HSA_OVERRIDE_GFX_VERSION", True),
        ("PIP_INDEX_URL", True),
        ("LD_LIBRARY_PATH", True),
        ("HF_TOKEN", False),
        ("UV_INDEX_PRIVATE_PASSWORD", False),
        ("UV_PUBLISH_TOKEN", False),
        ("NVIDIA_API_KEY", False),  # the prefix is allowed, a secret never
        ("TORCH_HUB_TOKEN", False),
        ("USER", False),
        ("HOME", False),
        ("HOSTNAME", False),
        ("SSH_CLIENT", False),
        ("PS1", False),
    ],
)
def test_the_list(name: str, may: bool) -> None:
    assert allowed(name) is may


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://u:p@h.example/simple", "https://h.example/simple"),
        ("https://token@h.example/a https://h.example/b", "https://h.example/a https://h.example/b"),
        ("https://h.example/?a=1&token=abc&b=2", "https://h.example/?a=1&token=removed&b=2"),
        ("https://h.example/a@b", "https://h.example/a@b"),
        ("user@host:/path", "user@host:/path"),
    ],
)
def test_credentials(text: str, clean: str) -> None:
    assert without_credentials(text) == clean


def test_addresses_of_the_cluster_become_a_mark() -> None:
    assert allowed_variables({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "B": "x", "CUDA_HOME": "/c"}) == {
        "CUDA_HOME": "/c",
        "KUBERNETES_SERVICE_HOST": "set",
    }
