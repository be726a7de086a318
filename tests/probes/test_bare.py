from __future__ import annotations

from torchdoctor.probes.bare import bare
from torchdoctor.probes.settings import project_lines

PROJECT = """\
[project]
dependencies = ["torch"]  # ]

[tool.uv]
override-dependencies = [
    "torch==2.5.1",
    "numpy<2",
]
[tool.uv.sources]
torch = [
    { index = "pytorch-cu128", marker = "sys_platform == 'linux'" },
]
[[tool.uv.index]]
name = "pytorch-cu128"
url = "https://download.pytorch.org/whl/cu128"
explicit = true
[[tool.uv.index]]
url = "https://mirror.example/simple"
default = true
[tool.poetry.dependencies]
torch = { version = "^2.5.1+cpu", source = "pytorch-cpu" }
[[tool.pdm.source]]
name = "torch"
type = "find_links"
"""


def test_a_recording_keeps_no_users_and_passwords() -> None:
    text = b'[[index]]\nname = "corp"\nurl = "https://x/"\nusername = "jane"\r\n  password: ab\nauthor-key="k"\nindex-url = y\n'
    kept = bare("/home/user/.config/uv/uv.toml", text)
    assert b"jane" not in kept and b"ab" not in kept and b'"k"' not in kept
    assert b'name = "corp"' in kept and b"index-url = y" in kept
    assert kept.count(b"\n") == text.count(b"\n")
    assert bare("/proc/cpuinfo", b"user: x") == b"user: x"


def test_a_recording_keeps_of_a_project_what_is_read_here() -> None:
    text = PROJECT.replace("[project]", '[project]\nname = "skunkworks"\nauthors = [\n  { name = "Jane" },\n]')
    kept = bare("/home/user/app/pyproject.toml", text.encode()).decode()
    assert "skunkworks" not in kept and "Jane" not in kept
    assert list(project_lines(kept, "pyproject.toml")) == list(project_lines(text, "pyproject.toml"))


def test_metadata_keeps_name_version_and_requirements() -> None:
    text = b"Metadata-Version: 2.1\r\nName: x\r\nAuthor: Jane\r\nVersion: 1.0\r\nRequires-Dist: torch\r\n\r\nWe at Corp ...\n"
    assert bare("/site/x-1.0.dist-info/METADATA", text) == b"Name: x\nVersion: 1.0\nRequires-Dist: torch\n\n"
