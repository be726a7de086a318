from __future__ import annotations

from collections.abc import Callable
from typing import Any

Examine = Callable[..., Any]
Machine = Callable[..., dict[str, Any]]

WHL = "https://download.pytorch.org/whl"
WINDOWS = {"os": "windows", "name": "Windows", "version": "11"}


def test_the_project_means_cuda_and_got_the_cpu_build(examine: Examine, machine: Machine) -> None:
    source = {
        "key": "sources.torch",
        "value": '{ index = "pytorch-cu128", marker = "sys_platform == \'linux\'" }',
        "line": 1,
    }
    profile = machine(
        system=WINDOWS,
        gpus=None,
        python={"implementation": "cpython", "version": "3.14.0", "machine": "x86_64"},
        torch={"version": "2.11.0", "variant": "cpu"},
        request={"variant": "cu128"},
        settings=[{"file": "pyproject.toml", **source}],
    )
    found = examine(profile)
    assert {"index-configuration", "wrong-variant"} <= found.keys()
    assert found["wrong-variant"].fix[0].endswith(f"--index-url {WHL}/cu128")
    linux = examine({**profile, "system": {**profile["system"], "os": "linux"}})
    assert "index-configuration" not in linux
