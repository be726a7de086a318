from __future__ import annotations

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.locks import LOCKS, Asked, read_lock

UV = """\
version = 1

[[package]]
name = "numpy"
version = "2.1.0"

[[package]]
name = "Torch"
version = "2.5.1+cpu"
source = { registry = "https://user:secret@download.pytorch.org/whl/cpu" }
resolution-markers = ["sys_platform != 'darwin'", "python_version < '3.13'"]
wheels = [
    { url = "https://x/torch-2.5.1%2Bcpu-cp312-cp312-linux_x86_64.whl" },
    { url = "https://x/torch-2.5.1%2Bcpu-cp313-cp313-win_amd64.whl" },
]

[[package]]
name = "torchvision"
version = "0.20.1"
"""


def _read(file: str, text: str) -> tuple[list[Asked], list[tuple[int | None, str | None, str | None]]]:
    draft = Draft()
    found = list(read_lock(draft, file, text))
    return found, [(s.line, s.key, s.value) for s in draft.build().settings or ()]


@pytest.mark.parametrize(
    ("name", "is_lock"),
    [
        ("uv.lock", True),
        ("poetry.lock", True),
        ("pdm.lock", True),
        ("pylock.toml", True),
        ("pylock.gpu.toml", True),
        ("Cargo.lock", False),
        ("pylock.a.b.toml", False),
        ("uv.lock.bak", False),
    ],
)
def test_names_of_lock_files(name: str, is_lock: bool) -> None:
    assert bool(LOCKS.match(name)) == is_lock


def test_the_torch_that_is_locked_with_its_line_index_and_marker() -> None:
    (asked,), settings = _read("app/uv.lock", UV)
    assert (asked.torch, asked.variant, asked.line, asked.installer) == ("==2.5.1+cpu", "cpu", 9, "uv")
    assert asked.index == "https://download.pytorch.org/whl/cpu"
    assert asked.marker == "(sys_platform != 'darwin') or (python_version < '3.13')"
    assert settings == [
        (9, "locked", "torch==2.5.1+cpu @ https://download.pytorch.org/whl/cpu"),
        (9, "locked.platforms", "linux_x86_64 win_amd64"),
        (19, "locked", "torchvision==0.20.1"),
    ]


@pytest.mark.parametrize(
    ("file", "installer"), [("poetry.lock", "poetry"), ("a\\pdm.lock", "pdm"), ("pylock.toml", "pip")]
)
def test_whose_lock_it_is(file: str, installer: str) -> None:
    (asked,), _ = _read(file, '[[package]]\nname = "torch"\nversion = "2.8.0"\n')
    assert (asked.installer, asked.variant, asked.index, asked.marker) == (installer, None, None, None)


def test_an_index_of_the_default_kind_names_no_variant() -> None:
    (asked,), _ = _read(
        "uv.lock",
        '[[package]]\nname = "torch"\nversion = "2.5.1"\nsource = { registry = "https://mirror.invalid/simple" }\n',
    )
    assert (asked.variant, asked.index) == (None, None)


@pytest.mark.parametrize("text", ["", "[[package]]\n", '[[package]]\nname = "numpy"\n', 'name = "torch"\n', "\0" * 500])
def test_a_lock_without_torch_asks_nothing(text: str) -> None:
    assert _read("uv.lock", text) == ([], [])
