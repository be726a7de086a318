"""No machine, however odd, makes a check raise, and every finding says what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks import run_checks
from torchdoctor.matrix.findings import STACK, kind
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.matrix.suppress import suppress
from torchdoctor.probes.profile import facts_from_mapping

_CATALOG = Catalog()


def maybe(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from((None, *values))


def group(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


GPU = group(
    vendor=maybe("nvidia", "amd", "intel", "apple", "matrox"),
    name=maybe("", "NVIDIA GeForce RTX 5090", "Tesla T4", "Arc A770", "…"),
    pci_id=maybe("10de:1eb8", "8086:56a0", "rubbish", ""),
    compute_capability=maybe("7.5", "12.1", "x", "", "9"),
    gfx=maybe("gfx1100", "gfx9", "gfx1036", ""),
    integrated=maybe(True, False),
    driver=maybe("nvidia", "nouveau", "vfio-pci", "xe", "i915", ""),
)
DRIVER = group(
    version=maybe("", "580.95.05", "v", "..", "999999999999.1"),
    cuda=maybe("12.4", "13", "", "x.y"),
    module=maybe("open", "proprietary", "?"),
    installed=maybe(True, False),
    loaded=maybe(True, False),
    library=maybe("", "1", "550.54.14", "compat"),
)
VALUE = st.sampled_from(
    ("", "-1", "0", "7", "0,1,x", "GPU-1", "cuda>=13", "10.3.0", "level_zero:gpu", "/opt/intel/oneapi/mkl/lib")
)
MACHINE = group(
    system=group(
        os=maybe("linux", "windows", "macos", "freebsd"),
        name=maybe("Ubuntu", "", "Fedora"),
        version=maybe("15.1", "", "x"),
        machine=maybe("x86_64", "aarch64", "vax"),
        container=maybe("", "docker", "?"),
        wsl=maybe(0, 1, 2),
        jetson=maybe("", "36.4.3", "R35"),
        translated=maybe(True, False),
        page_size=maybe(0, 4096, 65536),
        vc_runtime=maybe("", "14"),
    ),
    python=group(machine=maybe("x86_64", "aarch64"), environment=maybe("conda", "venv")),
    cpu=group(features=maybe([], ["sse2"], ["sse2", "avx", "lahf_lm", "hypervisor"]), model=maybe("QEMU", "")),
    gpus=st.one_of(st.none(), st.lists(GPU, max_size=3)),
    drivers=group(
        nvidia=DRIVER, intel=group(compute_runtime=maybe("", "26.05")), amdgpu=group(version=maybe("", "6.10"))
    ),
    runtimes=group(cuda=maybe("", "12.4", "x"), metal=maybe("", "3"), level_zero=maybe("", "1.28")),
    packages=st.dictionaries(
        st.sampled_from(("torch", "triton", "torchvision", "nvidia-cublas-cu12", "numpy")),
        st.sampled_from(
            ("2.1.0", "2.6.0+cu124", "2.9.1+rocm6.4", "3.5.0", "2.14.1+xpu", "", "?", "2.6.0a0+ecf.nv25.01")
        ),
        max_size=4,
    ),
    torch=group(gpu_available=maybe(True, False), origin=maybe("vendor", "wheel")),
    environment=st.dictionaries(
        st.sampled_from(
            (
                "CUDA_VISIBLE_DEVICES",
                "ROCR_VISIBLE_DEVICES",
                "HIP_VISIBLE_DEVICES",
                "ZE_AFFINITY_MASK",
                "ONEAPI_DEVICE_SELECTOR",
                "NVIDIA_REQUIRE_CUDA",
                "NVIDIA_VISIBLE_DEVICES",
                "HSA_OVERRIDE_GFX_VERSION",
                "LD_LIBRARY_PATH",
            )
        ),
        VALUE,
        max_size=4,
    ),
    devices=st.dictionaries(
        st.sampled_from(("/dev/kfd", "/dev/nvidiactl", "/dev/dri", "/dev/dri/renderD128", "/dev/dxg")),
        group(present=maybe(True, False), openable=maybe(True, False), group=maybe("render", "109", "")),
        max_size=3,
    ),
    symptoms=st.lists(
        group(
            id=maybe("illegal-instruction", "jemalloc-page", "hip-invalid-image", "winerror-126", "bus-error-worker"),
            text=maybe("x"),
        ),
        max_size=3,
    ),
    resources=group(shm=maybe(0, 67108864)),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MACHINE, st.lists(st.sampled_from(("gpu", "cuda", "rocm", "xpu", "mps")), max_size=2))
def test_any_machine(profile: Mapping[str, Any], requires: list[str]) -> None:
    facts = facts_from_mapping(profile)
    case = Case(
        facts=facts, catalog=_CATALOG, asked=Asked(requires=tuple(requires)), installed=installed_torch(facts, _CATALOG)
    )
    told = suppress(run_checks(case))
    assert len({f.id for f in told}) == len(told)
    for found in told:
        assert found.lies_in in STACK
        assert found.title and found.fix and all(found.fix)
        assert found.evidence, found.id
        assert not [
            c
            for c in told
            if found.id in kind(c.id).explains and c.severity == "blocker" and found.severity == "blocker"
        ]
