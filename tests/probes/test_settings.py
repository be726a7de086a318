from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Setting
from torchdoctor.probes.settings import pip_lines, probe, project_lines, requirement_name
from torchdoctor.probes.toml_lines import inline_value, strings, toml_entries

Recorded = Callable[..., Any]


def _settings(host: Any, prefix: str | None = None) -> tuple[Setting, ...] | None:
    draft = Draft()
    probe(host, draft, prefix=prefix)
    return draft.build().settings


def _machine(recorded: Recorded, files: Mapping[str, str], environment: Mapping[str, str] = {}, **values: Any) -> Any:
    return recorded(files, environment=dict(environment), values={"home": "/home/user", **values})


@pytest.mark.parametrize(
    ("path", "environment", "prefix"),
    [
        ("/etc/pip.conf", {}, None),
        ("/etc/xdg/pip/pip.conf", {}, None),
        ("/opt/xdg/pip/pip.conf", {"XDG_CONFIG_DIRS": "/opt/xdg:/etc/xdg"}, None),
        ("/home/user/.pip/pip.conf", {}, None),
        ("/home/user/.config/pip/pip.conf", {}, None),
        ("/data/config/pip/pip.conf", {"XDG_CONFIG_HOME": "/data/config"}, None),
        ("/venv/pip.conf", {}, "/venv"),
        ("/srv/own.conf", {"PIP_CONFIG_FILE": "/srv/own.conf"}, None),
    ],
)
def test_pip_reads_every_level(recorded: Recorded, path: str, environment: dict[str, str], prefix: str | None) -> None:
    host = _machine(recorded, {path: "[global]\nindex-url = https://mirror.example/simple\n"}, environment)
    rows = [s for s in _settings(host, prefix) or () if s.file == path]
    assert rows == [Setting(file=path, line=2, key="index-url", value="https://mirror.example/simple")]


def test_windows_and_macos_have_levels_of_their_own(recorded: Recorded) -> None:
    text = "[global]\nno-index = true\n"
    windows = recorded(
        {"/C/ProgramData/pip/pip.ini": text, "/C/Users/user/AppData/Roaming/pip/pip.ini": text},
        system="windows",
        environment={"ProgramData": "C:/ProgramData"},
        values={"home": "C:/Users/user"},
    )
    assert [s.file for s in _settings(windows) or ()] == [
        "C:/ProgramData/pip/pip.ini",
        "C:/Users/user/AppData/Roaming/pip/pip.ini",
    ]
    mac = recorded({"/Library/Application Support/pip/pip.conf": text}, system="macos", environment={}, values={})
    assert [s.key for s in _settings(mac) or ()] == ["no-index"]


def test_the_null_device_switches_pip_files_off(recorded: Recorded) -> None:
    host = _machine(recorded, {"/etc/pip.conf": "[global]\nno-index = 1\n"}, {"PIP_CONFIG_FILE": "/dev/null"})
    assert [s.key for s in _settings(host) or ()] == ["PIP_CONFIG_FILE"]


def test_variables_are_settings(recorded: Recorded) -> None:
    variables = {
        "PIP_EXTRA_INDEX_URL": "https://download.pytorch.org/whl/cpu",
        "UV_TORCH_BACKEND": "cu126",
        "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8",
        "PATH": "/usr/bin",
    }
    rows = _settings(_machine(recorded, {}, variables))
    assert {s.key: s.value for s in rows or ()} == {k: v for k, v in variables.items() if k != "PATH"}
    assert {s.file for s in rows or ()} == {"environment"}


def test_credentials_never_leave_the_file(recorded: Recorded) -> None:
    secret = "https://jane:hunter2@mirror.example/simple?token=abc123"
    host = _machine(
        recorded,
        {
            "/etc/pip.conf": f"[global]\nindex-url = {secret}\nextra-index-url =\n  {secret}\n",
            "/home/user/.config/uv/uv.toml": f'[[index]]\nname = "corp"\nurl = "{secret}"\n[pip]\nextra-index-url = ["{secret}"]\n',
            "/work/pyproject.toml": f'[[tool.poetry.source]]\nname = "x"\nurl = "{secret}"\n[tool.uv.sources]\ntorch = {{ url = "{secret}" }}\n',
        },
        {"PIP_INDEX_URL": secret},
        cwd="/work",
    )
    rows = _settings(host) or ()
    printed = json.dumps([(s.key, s.value) for s in rows])
    assert len(rows) == 7
    assert "mirror.example" in printed
    assert "jane" not in printed and "hunter2" not in printed and "abc123" not in printed


def test_constraints_bind_the_torch_family(recorded: Recorded) -> None:
    host = _machine(
        recorded,
        {
            "/etc/pip.conf": "[global]\nconstraint = limits.txt\n",
            "/etc/limits.txt": "# held back\nnumpy<2\ntorch<=2.14.1  # until the driver is new\nTorchVision==0.29.1\n",
        },
    )
    assert _settings(host) == (
        Setting(file="/etc/pip.conf", line=2, key="constraint", value="limits.txt"),
        Setting(file="/etc/limits.txt", line=3, key="constraint", value="torch<=2.14.1"),
        Setting(file="/etc/limits.txt", line=4, key="constraint", value="TorchVision==0.29.1"),
    )


def test_the_nearest_project_counts(recorded: Recorded) -> None:
    host = _machine(
        recorded,
        {
            "/home/user/app/pyproject.toml": '[tool.uv]\ntorch-backend = "cu126"\n',
            "/home/user/pyproject.toml": '[tool.uv]\ntorch-backend = "cpu"\n',
        },
        absent=["/home/user/app/src"],
        cwd="/home/user/app/src/deep",
    )
    host_rows = _settings(host)
    assert host_rows == (
        Setting(file="/home/user/app/pyproject.toml", line=2, key="tool.uv.torch-backend", value="cu126"),
    )


def test_nothing_recorded_is_not_nothing_set(recorded: Recorded) -> None:
    assert _settings(recorded({})) is None
    assert _settings(_machine(recorded, {})) == ()


def test_pip_files_of_every_style() -> None:
    text = "; note\n[GLOBAL]\nExtra_Index_Url:\n    https://a/\n\t# no\n    https://b/\ntimeout = 60\n[list]\nindex-url = https://no/\n"
    assert [tuple(row) for row in pip_lines(text)] == [
        (4, "extra-index-url", "https://a/"),
        (6, "extra-index-url", "https://b/"),
    ]


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


def test_project_settings_with_their_lines() -> None:
    assert [tuple(row) for row in project_lines(PROJECT, "pyproject.toml")] == [
        (5, "tool.uv.override-dependencies", "torch==2.5.1"),
        (10, "tool.uv.sources.torch", '[ { index = "pytorch-cu128", marker = "sys_platform == \'linux\'" }, ]'),
        (15, "tool.uv.index.pytorch-cu128", "https://download.pytorch.org/whl/cu128"),
        (16, "tool.uv.index.pytorch-cu128.explicit", "true"),
        (18, "tool.uv.index.1", "https://mirror.example/simple"),
        (19, "tool.uv.index.1.default", "true"),
        (21, "tool.poetry.dependencies.torch", '{ version = "^2.5.1+cpu", source = "pytorch-cpu" }'),
        (24, "tool.pdm.source.torch.type", "find_links"),
    ]


def test_toml_over_several_lines_keeps_the_line_of_the_key() -> None:
    text = 'a = """x\n[not.a.table]\n"""\n[t]\nb.c = [1,\n # ]\n 2]\n"d e" = 1\n'
    assert [(e.line, e.table, e.key) for e in toml_entries(text)] == [(1, "", "a"), (5, "t", "b.c"), (8, "t", "d e")]


@pytest.mark.parametrize(
    "text", ["[", "]]]", "a", "= 1", "a = [" * 50, "a = '''", "\0", '"' * 999, "a = {" + "x" * 5000]
)
def test_broken_toml_never_raises(text: str) -> None:
    assert len(list(toml_entries(text))) <= 1
    list(project_lines(text, "uv.toml"))
    list(pip_lines(text))


def test_values_of_inline_tables() -> None:
    assert inline_value('{ index = "pytorch-cpu" }', "index") == "pytorch-cpu"
    assert inline_value("{ explicit = true }", "explicit") == "true"
    assert inline_value('{ reindex = "no" }', "index") is None
    assert strings("[\"a\", 'b']") == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("torch==2.5.1", "torch"),
        ("Torch_Vision [x]", "torch-vision"),
        ("  torch @ https://x", "torch"),
        ("-r x", None),
        ("", None),
    ],
)
def test_requirement_names(line: str, name: str | None) -> None:
    assert requirement_name(line) == name
