"""The machine as a picture: GPU, driver, runtime, wheel, Python and system as layers, what meets what, where it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from torchdoctor.render.clean import clean, fit
from torchdoctor.render.machine import gpu_names, machine_rows
from torchdoctor.render.page import esc
from torchdoctor.render.words import group, pick

__all__ = ["PLACES", "draw_stack"]

#: Finding id → where in the picture it shows: a layer (``gpu`` …), a joint of neighbours (``gpu-driver`` …) or one of the
#: two joints that reach across (``wheel-gpu``, ``wheel-system``).
PLACES: Mapping[str, str] = {
    id: place
    for place, ids in {
        "gpu": "gpu-not-found mixed-gpu-generations pcie-atomics-missing mig-single-instance tegra-smi-absent",
        "gpu-driver": "driver-missing driver-not-loaded container-no-gpu wsl-driver-not-visible rocm-device-missing "
        "rocm-permission xpu-driver-too-old xpu-kernel-driver xpu-permission metal-device-missing rocm-wsl-runtime",
        "driver": "driver-library-mismatch fabric-manager-not-ready cuda-init-unknown-error xpu-driver-mismatch "
        "wsl-versions-differ cuda-compat-in-use cuda-compat-on-unsupported-gpu libcuda-stub",
        "driver-runtime": "driver-too-old container-cuda-requirement minor-version-compat devices-hidden "
        "igpu-dgpu-conflict gfx-override-mismatch newest-out-of-reach",
        "runtime": "mixed-cuda-major unused-nvidia-packages toolkit-differs",
        "runtime-wheel": "system-cuda-shadowing xpu-oneapi-missing xpu-oneapi-conflict rocm-sdk-arch-mismatch "
        "openmp-duplicate triton-ptxas-too-old",
        "wheel": "companion-mismatch companion-pin-conflict downstream-abi-mismatch downstream-arch-missing "
        "duplicate-install numpy-abi conda-channel-ended conda-mkl-conflict download-corrupted variant-not-published "
        "version-does-not-exist index-configuration ipex-version-mismatch vendor-build inferred-fact "
        "claim-contradicts-report torch-advice-wrong matrix-old insufficient-data",
        "wheel-gpu": "gpu-below-minimum gpu-newer-than-wheel gpu-arch-missing gfx-unsupported xpu-gpu-unsupported "
        "jetson-needs-vendor-wheel wrong-variant cc-warning-benign same-major-compat cuda-build-on-cpu-host support-ends",
        "wheel-python": "python-unsupported free-threaded-unsupported python-implementation python-32bit "
        "wheel-arch-mismatch wrong-interpreter",
        "python": "rosetta-python emulated-python",
        "wheel-system": "glibc-too-old glibc-too-new musl libstdcxx-missing no-wheel-for-platform macos-too-old "
        "macos-x86-dropped windows-runtime-missing page-size-unsupported arm32 arm-lacks-lse cpu-lacks-avx "
        "cpu-lacks-avx2",
        "system": "disk-space shm-too-small win-long-path",
    }.items()
    for id in ids.split()
}  # fmt: skip
_RANK = {"blocker": 0, "warning": 1}
_STATE = {"blocker": "bad", "warning": "warn"}
_SIGN = {"ok": "✓", "bad": "✗", "warn": "!", "unknown": "?", "none": "–"}
_MEETS = {
    "gpu-driver": "the driver knows this GPU",
    "driver-runtime": "the driver runs this runtime",
    "runtime-wheel": "brought along or pinned by the wheel",
    "wheel-python": "built for this Python",
    "python-system": "runs on this system",
}
_WIDE, _HIGH, _GAP, _LEFT, _TOP, _ALL = 336, 54, 40, 6, 6, 420
_CHARS = 38  # of the bold line that fit into a box, of the widest usual font


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    key: str
    name: str
    what: str
    more: str = ""
    known: bool = True


def _unsure(report: Mapping[str, Any]) -> set[str]:
    """The layers of which a fact was missing when the recommended build was judged."""
    best = group(report, "recommendation")
    for one in report.get("candidates") or ():
        if (one.get("torch"), one.get("variant")) == (best.get("torch"), best.get("variant")):
            heads = {str(u).partition(".")[0].partition("[")[0] for u in one.get("unknown") or ()}
            names = {"gpus": "gpu", "drivers": "driver", "runtimes": "runtime", "python": "python", "system": "system"}
            return {names[h] for h in heads if h in names}
    return set()


def draw_stack(report: Mapping[str, Any]) -> str:
    """An inline ``<svg>`` styled by the page around it. Text is escaped, long text cut with the whole as its title."""
    unsure = _unsure(report)
    layers = [replace(layer, known=layer.known and layer.key not in unsure) for layer in _layers(report)]
    at = {layer.key: _TOP + n * (_HIGH + _GAP) for n, layer in enumerate(layers)}
    worst = _worst(report, at)
    height = _TOP + len(layers) * (_HIGH + _GAP) - _GAP + 8
    parts, told = [], []
    for one, below in pairwise(layers):
        state, says = _joint(f"{one.key}-{below.key}", one, below, worst)
        parts.append(_draw_joint(at[one.key] + _HIGH, state, says))
        told.append(f"{one.name} to {below.name}: {says}")
    for across in ("wheel-gpu", "wheel-system"):
        if across.split("-")[1] in at:
            part, says = _draw_across(across, at, layers, worst)
            parts.append(part)
            told.append(says)
    parts += [_draw_layer(layer, at[layer.key], worst.get(layer.key)) for layer in layers]
    about = "; ".join([*(f"{layer.name}: {layer.what}" for layer in layers), *told])
    return (
        f'<svg class="stack" viewBox="0 0 {_ALL} {height}" role="img" aria-labelledby="stack-t stack-d" '
        f'xmlns="http://www.w3.org/2000/svg"><title id="stack-t">What meets what on this machine</title>'
        f'<desc id="stack-d">{esc(about)}</desc>\n' + "\n".join(parts) + "</svg>"
    )


def _layers(report: Mapping[str, Any]) -> list[_Layer]:
    facts = group(report, "facts")
    rows = {label: text for label, text in machine_rows(report) if label}
    wheel, variant, installed = _wheel(report)
    gpus = gpu_names(facts)
    layers = []
    if gpus or facts.get("gpus") is None or variant not in (None, "cpu"):
        what, _, more = (gpus[0] if gpus else "none found" if facts.get("gpus") == [] else "not known").partition(" · ")
        if len(gpus) > 1:
            more += f", and {len(gpus) - 1} more kind{'s' if len(gpus) > 2 else ''}"
        layers.append(_Layer(key="gpu", name="GPU", what=what, more=more, known=bool(gpus)))
        driver, _, module = rows.get("Driver", "not known").partition(" · ")
        head, _, tail = driver.replace(")", "").partition(" (")
        layers.append(_Layer(key="driver", name="Driver", what=head, more=tail or module, known="Driver" in rows))
        layers.append(_runtime(facts, variant))
    name = "torch wheel, installed" if installed else "torch wheel, recommended"
    known = "" if wheel else "not known"
    layers.append(
        _Layer(key="wheel", name=name, what=wheel or known, more=_kernels(facts, installed), known=bool(wheel))
    )
    what, _, more = rows.get("Python", "not known").partition(" · ")
    layers.append(_Layer(key="python", name="Python", what=what, more=more, known="Python" in rows))
    what, _, more = rows.get("System", "not known").partition(" · ")
    layers.append(_Layer(key="system", name="System", what=what, more=more, known="System" in rows))
    return layers


def _wheel(report: Mapping[str, Any]) -> tuple[str, str | None, bool]:
    for where, installed in (("facts.torch", True), ("recommendation", False)):
        data = group(report, where)
        version = data.get("version") if installed else data.get("torch")
        if version:
            variant = data.get("variant")
            return f"torch {clean(version)}" + (f" ({clean(variant)})" if variant else ""), variant, installed
    return "", None, False


def _kernels(facts: Mapping[str, Any], installed: bool) -> str:
    kernels = pick(facts, "torch.kernels") if installed else None
    return f"code for {' '.join(clean(k) for k in kernels)}" if kernels else ""


def _runtime(facts: Mapping[str, Any], variant: str | None) -> _Layer:
    variant, system = str(variant or ""), ""
    if variant.startswith("cu") and variant[2:].isdigit():
        what = f"CUDA {variant[2:-1]}.{variant[-1]}, inside the wheel"
        system = pick(facts, "runtimes.cuda")
    elif variant.startswith("rocm"):
        what, system = f"ROCm {variant[4:]}, inside the wheel", pick(facts, "runtimes.rocm")
    elif variant == "xpu":
        what, system = "oneAPI and Level Zero", pick(facts, "runtimes.level_zero")
    elif variant == "mps":
        what = "Metal, part of the system"
    elif variant == "cpu":
        return _Layer(key="runtime", name="Runtime", what="none: a build for the CPU", known=True)
    else:
        return _Layer(key="runtime", name="Runtime", what="not known", known=False)
    more = f"the system's own: {clean(system)}" if system else ""
    return _Layer(key="runtime", name="Runtime", what=what, more=more)


def _worst(report: Mapping[str, Any], at: Mapping[str, int]) -> dict[str, Mapping[str, Any]]:
    """Place → its gravest finding; notes leave no mark. What has no layer of its own shows at the wheel."""
    worst: dict[str, Mapping[str, Any]] = {}
    findings: Iterable[Mapping[str, Any]] = report.get("findings") or ()
    for finding in sorted(findings, key=lambda f: _RANK.get(str(f.get("severity")), 9)):
        if finding.get("severity") in _STATE:
            place = PLACES.get(str(finding.get("id")), "wheel")
            if not all(part in at for part in place.split("-")):
                place = "wheel"
            worst.setdefault("-".join(_ordered(place)), finding)
    return worst


def _ordered(place: str) -> list[str]:
    if place in ("wheel-gpu", "wheel-system"):
        return place.split("-")
    order = ["gpu", "driver", "runtime", "wheel", "python", "system"]
    return sorted(place.split("-"), key=order.index)


def _joint(key: str, one: _Layer, below: _Layer, worst: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    if key in worst:
        return _STATE[str(worst[key].get("severity"))], clean(worst[key].get("id"))
    if "none" in (one.what[:4], below.what[:4]) and one.key in ("gpu", "driver", "runtime"):
        return "none", "not used"
    if not (one.known and below.known):
        return "unknown", "not known"
    return "ok", _MEETS[key]


def _draw_joint(y: int, state: str, says: str) -> str:
    x, middle = _LEFT + 34, y + _GAP // 2
    return (
        f'<path class="joint {state}" d="M{x} {y}V{y + _GAP}"/><circle class="sign {state}" cx="{x}" cy="{middle}" r="10"/>'
        f'<text class="mark {state}" x="{x}" y="{middle + 4}">{_SIGN[state]}</text>'
        f'<text class="says {state}" x="{x + 18}" y="{middle + 4}">{esc(fit(says, 44))}</text>'
    )


def _draw_across(
    key: str, at: Mapping[str, int], layers: list[_Layer], worst: Mapping[str, Mapping[str, Any]]
) -> tuple[str, str]:
    other = key.split("-")[1]
    known = {layer.key: layer for layer in layers}
    finding = worst.get(key)
    if finding:
        state, says = _STATE[str(finding.get("severity"))], clean(finding.get("id"))
    elif other == "gpu" and known["runtime"].what.startswith("none"):
        state, says = "none", "no code for GPUs in it"
    elif known["wheel"].known and known[other].known:
        state, says = "ok", "code for this GPU" if other == "gpu" else "fits the system"
    else:
        state, says = "unknown", "not known"
    right, out = _LEFT + _WIDE, _LEFT + _WIDE + 30
    ends = sorted((at["wheel"] + (16 if other == "gpu" else 38), at[other] + _HIGH // 2))
    middle = (ends[0] + ends[1]) // 2
    half = len(says) * 3
    drawn = (
        f'<path class="joint {state}" d="M{right} {ends[0]}H{out - 8}Q{out} {ends[0]} {out} {ends[0] + 8}V{ends[1] - 8}'
        f'Q{out} {ends[1]} {out - 8} {ends[1]}H{right}"/>'
        f'<circle class="sign {state}" cx="{out}" cy="{middle - half - 4}" r="10"/>'
        f'<text class="mark {state}" x="{out}" y="{middle - half}">{_SIGN[state]}</text>'
        f'<text class="says {state}" text-anchor="start" transform="translate({out + 12} {middle - half + 10}) rotate(90)">'
        f"{esc(fit(says, 26))}</text>"
    )
    return drawn, f"wheel to {other}: {says}"


def _draw_layer(layer: _Layer, y: int, finding: Mapping[str, Any] | None) -> str:
    state = _STATE[str(finding.get("severity"))] if finding else "" if layer.known else "none"
    name = f"{layer.name}  {_SIGN[state]} {clean(finding.get('id'))}" if finding else layer.name
    says = f"says {state}" if finding else "name"
    whole = f"{layer.what} · {layer.more}" if layer.more else layer.what
    return (
        f'<g><title>{esc(whole)}</title><rect class="box {state}" x="{_LEFT}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="8"/>'
        f'<text class="{says}" x="{_LEFT + 12}" y="{y + 16}">{esc(name)}</text>'
        f'<text class="what" x="{_LEFT + 12}" y="{y + 33}">{esc(fit(layer.what, _CHARS))}</text>'
        f'<text class="more" x="{_LEFT + 12}" y="{y + 48}">{esc(fit(layer.more, _CHARS + 10))}</text></g>'
    )
