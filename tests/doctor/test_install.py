"""Plan, run and way back, step by step: what fails between the plan and the end leaves the environment as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor import install
from torchdoctor.environment import inspect, scan
from torchdoctor.install import Failed, Request, perform, plan
from torchdoctor.installers import Target
from torchdoctor.matrix.catalog import INDEX_ROOT
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import System
from torchdoctor.verify import offered

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the stand-in wheels are for Linux x86_64"
)

LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{INDEX_ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


@pytest.fixture
def request_(environment: Any, index: Any, tool: Callable[[str], str]) -> Callable[..., Request]:
    def make(recommendation: Recommendation, **how: Any) -> Request:
        here = inspect([environment.python])
        target = Target(recommendation=recommendation, system=LINUX, installed=scan(here.folders))
        if how.get("installer") == "uv":
            how["uv"] = tool("uv")
        return Request(target=target, environment=here, index_base=index.root, **how)

    return make


def quiet(text: str) -> None:
    pass


CU126 = chosen("2.14.1", "cu126", torchvision="0.29.1")


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_index_dies_between_plan_and_download(
    installer: str, request_: Callable[..., Request], environment: Any, index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.unpack(index, "torch-2.14.1+cpu", "leafpad-1.0", "plain-1.0")
    before, files = environment.freeze(), environment.files()
    planned = plan(request_(CU126, installer=installer), quiet)
    assert planned.rows() == ["torch 2.14.1+cpu → 2.14.1+cu126", "new: torchvision 0.29.1+cu126"]
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("UV_NO_CACHE", "1")
    index.broken.update(f for f in index.files if f.startswith("torchvision-0.29.1+cu126"))
    with pytest.raises(Failed, match="everything is as it was before") as caught:
        perform(planned, quiet)
    assert caught.value.status in (1, 2)
    assert environment.freeze() == before
    assert environment.files() == files


def test_second_step_fails_after_torch_was_replaced(
    request_: Callable[..., Request], environment: Any, index: Any
) -> None:
    environment.unpack(index, "torch-2.14.1+cpu", "leafpad-1.0")
    before, files = environment.freeze(), environment.files()
    text = (environment.site / "torch" / "__init__.py").read_text()
    planned = plan(request_(CU126, installer="uv", others=("on-newest",)), quiet)
    with pytest.raises(Failed, match="everything is as it was before"):
        perform(planned, quiet)
    assert environment.freeze() == before
    assert environment.files() == files
    assert (environment.site / "torch" / "__init__.py").read_text() == text


def test_interrupted_on_the_way(
    request_: Callable[..., Request], environment: Any, index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.unpack(index, "torch-2.14.1+cpu", "leafpad-1.0")
    before = environment.freeze()
    planned = plan(request_(CU126, installer="uv", others=("plain",)), quiet)
    real = install._run
    said: list[str] = []

    def stop_in_the_second_step(line: list[str], variables: dict[str, str]) -> None:
        if "plain" in line:
            raise KeyboardInterrupt
        real(line, variables)

    monkeypatch.setattr(install, "_run", stop_in_the_second_step)
    with pytest.raises(KeyboardInterrupt):
        perform(planned, said.append)
    assert said == ["interrupted; everything is as it was before"]
    assert environment.freeze() == before


def test_another_build_of_the_default_index_is_replaced(
    request_: Callable[..., Request], environment: Any, index: Any
) -> None:
    environment.unpack(index, "torch-2.15.0+cpu", "leafpad-1.0")
    planned = plan(request_(chosen("2.15.0", "cu132", default=True), installer="uv"), quiet)
    assert planned.rows() == ["torch 2.15.0+cpu → 2.15.0"]
    assert perform(planned, quiet) == ["torch 2.15.0+cpu → 2.15.0"]
    assert plan(request_(chosen("2.15.0", "cu132", default=True), installer="uv"), quiet).nothing


def test_a_configured_extra_index_cannot_slip_in_another_build(
    request_: Callable[..., Request], environment: Any, index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_INDEX", f"{index.root}/cu132")
    assert plan(request_(chosen("2.14.1", "cu126"), installer="uv"), quiet).wanted["torch"] == "2.14.1+cu126"
    # Nothing holds a build without a label: what lands is looked at.
    planned = plan(request_(chosen("2.15.0", "cpu", default=True), installer="uv"), quiet)
    assert planned.wanted["torch"] == "2.15.0+cu132"
    with pytest.raises(Failed, match=r"torch 2\.15\.0\+cu132 was installed instead of torch 2\.15\.0 \(cpu\)"):
        perform(planned, quiet)
    assert environment.freeze() == {}


def test_requirements_file_is_held_to_torch(request_: Callable[..., Request], environment: Any, tmp_path: Any) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("on-torch\nplain<2\n")
    planned = plan(request_(CU126, installer="uv", files=(str(file),)), quiet)
    changed = perform(planned, quiet)
    assert "new: torch 2.14.1+cu126" in changed
    assert "new: plain 1.0" in changed
    assert "new: on-torch 1.0" in changed


def test_a_pip_that_cannot_plan(request_: Callable[..., Request], environment: Any, index: Any) -> None:
    import dataclasses

    made = request_(chosen("2.14.1", "cu126"))
    old = dataclasses.replace(made, environment=dataclasses.replace(made.environment, pip="21.3.1"))
    planned = plan(old, quiet)
    assert not planned.known
    assert planned.rows() == ["torch==2.14.1+cu126 (what else changes, this pip cannot tell beforehand)"]
    assert index.asked == []
    assert not planned.nothing


def test_an_installer_that_is_not_there(request_: Callable[..., Request]) -> None:
    import dataclasses

    made = dataclasses.replace(request_(CU126), installer="uv", uv="/no/such/uv")
    with pytest.raises(Failed, match="/no/such/uv cannot be run") as caught:
        plan(made, quiet)
    assert caught.value.status == 2


def test_is_it_offered(request_: Callable[..., Request], environment: Any, index: Any) -> None:
    here = inspect([environment.python])
    held = Target(recommendation=chosen("2.14.1", "cu126"), system=LINUX)
    missing = Target(recommendation=chosen("2.13.0", "cu126"), system=LINUX)
    assert offered(held, here, index_base=index.root) == (True, "")
    assert offered(missing, here, index_base=index.root) == (False, "")
    found, why = offered(held, here, index_base="http://127.0.0.1:9/whl")
    assert found is None
    assert why


def test_is_it_offered_for_another_system(environment: Any, index: Any) -> None:
    from torchdoctor.probes.facts import Python

    here = inspect([environment.python])
    target = Target(
        recommendation=chosen("2.15.0", "cpu"),
        system=System(os="windows", machine="x86_64"),
        python=Python(version="3.12.1"),
    )
    assert offered(target, here, index_base=index.root, foreign=True) == (True, "")


def test_a_module_beside_the_caller_is_not_pip(
    request_: Callable[..., Request], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('ran')\n")
    monkeypatch.chdir(tmp_path)
    made = request_(chosen("2.14.1", "cu126"))
    line = install._torch_lines(made)[0]
    ran = subprocess.run([*line[:4], "--version"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0
    assert ran.stdout.startswith("pip ")
