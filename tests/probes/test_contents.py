from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.contents import describe
from torchdoctor.probes.distributions import scan
from torchdoctor.probes.live import LiveHost

Sites = Callable[..., Any]
LINUX = "cp312-cp312-linux_x86_64"


@pytest.fixture
def row(site: Sites) -> Callable[..., dict[str, Any]]:
    """The row of one distribution, installed on the spot."""

    def make(name: str, *, deadline: float | None = None, requires: tuple[str, ...] = (), **how: Any) -> dict[str, Any]:
        place = site(name)
        place.add(name, how.pop("version", "1.0"), **how)
        (found,) = scan(LiveHost({}), str(place.root)).found
        return describe(LiveHost({}), found, requires, None, deadline)

    return make


Row = Callable[..., dict[str, Any]]


def test_a_pure_package_is_not_opened(row: Row) -> None:
    found = row("thing", requires=("torch>=2", "numpy"), files={"thing/x.so": b"no"})
    assert found["requires"] == ["numpy", "torch>=2"]
    assert "libraries" not in found


def test_a_compiled_extension_tells_its_code_and_needs(row: Row, binaries: Any) -> None:
    library = binaries["elf"](
        {".nv_fatbin": binaries["fat_binary"]([["sm_80"], ["sm_90"]])},
        needs=("libcudart.so.12", "libtorch_cuda.so", "libc.so.6"),
    )
    found = row("flash-attn", tag=LINUX, files={"flash/x.so": library, "flash.libs/bundled.so": library})
    assert found["libraries"] == ["flash/x.so"]
    assert found["kernels"] == ["sm_80", "sm_90"]
    assert found["needs"] == ["libcudart.so.12", "libtorch_cuda.so"]
    assert found["machines"] == ["x86_64"]


def test_code_that_was_not_looked_at_to_the_end_is_not_claimed(row: Row, binaries: Any) -> None:
    library = binaries["elf"]({".nv_fatbin": binaries["fat_binary"]([["sm_80"]])})
    assert "kernels" not in row("flash-attn", deadline=0.0, tag=LINUX, files={"flash/x.so": library})


def test_only_so_many_libraries_are_opened(row: Row, binaries: Any) -> None:
    library = binaries["elf"]({".nv_fatbin": binaries["fat_binary"]([["sm_80"]])})
    found = row("flash-attn", tag=LINUX, files={f"flash/{n:02}.so": library for n in range(30)})
    assert len(found["libraries"]) == 24
    assert "kernels" not in found  # others may hold more


def test_torchvision_keeps_its_variant_in_its_version_file(row: Row) -> None:
    files = {"torchvision/version.py": "__version__ = '0.20.1+cu124'\n"}
    assert row("torchvision", version="0.20.1", tag=LINUX, files=files)["variant"] == "cu124"
    assert row("thing", version="1.0")["variant"] is None


def test_torch_leaves_its_long_list_of_requirements_out(row: Row) -> None:
    assert "requires" not in row("torch", requires=("nvidia-cublas-cu12",), tag=LINUX)
