"""NVIDIA: driver and cards from files; ``nvidia-smi`` is asked once, and only for what no file tells."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torchdoctor.probes import nvidia_cards, pci
from torchdoctor.probes.devices import put_node
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Answer, Completed, Host
from torchdoctor.probes.nvidia_files import (
    PROC_VERSION,
    find_library,
    parse_proc_version,
    traces,
    version_in,
)

if TYPE_CHECKING:
    from torchdoctor.probes.nvidia_query import Queried

__all__ = ["probe"]

_VENDOR = "10de"
_MODULE = "/sys/module/nvidia"
_PATIENCE = 5.0  # seconds; a healthy nvidia-smi takes up to that on a machine without persistence mode


@dataclass(slots=True)
class _Driver:
    """What the files said so far."""

    version: str | None = None
    source: str = ""
    loaded: bool | None = None


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Put the NVIDIA GPUs, ``drivers.nvidia.*`` and the driver's device nodes."""
    if host.system == "windows":
        _windows(host, draft, deadline)
    elif host.system in ("linux", None):
        _linux(host, draft, deadline)


def _linux(host: Host, draft: Draft, deadline: float) -> None:
    wsl = host.stat("/dev/dxg").ok
    bus = pci.scan(host)
    devices = [d for d in bus.value or () if d.vendor == _VENDOR and d.display]
    tegra = nvidia_cards.tegra(host)
    driver = _loaded_driver(host, draft)
    gpus = nvidia_cards.cards(host, devices)
    for source, fields in gpus:
        draft.gpu(source, **fields)
    nvidia_cards.put_slices(host, draft, len(gpus))
    if tegra is not None and not gpus:
        draft.gpu(nvidia_cards.COMPATIBLE, **nvidia_cards.integrated(host, tegra))
    control = host.stat("/dev/nvidiactl")
    if gpus or tegra is not None or driver.loaded or wsl or control.ok:
        for node in () if wsl else ("/dev/nvidiactl", *nvidia_cards.nodes(host), "/dev/nvidia-uvm"):
            put_node(host, draft, node)
    if wsl:
        put_node(host, draft, "/dev/dxg")
    if tegra is not None:
        # The driver of these boards is part of the system image; older ones call it nvgpu and give no version.
        driver.loaded = driver.loaded or host.stat("/sys/module/nvgpu").ok or None
    elif driver.loaded is False and (wsl or control.ok):
        driver.loaded = None  # the kernel of a WSL guest or of a sandbox shows no module
    _put_installed(host, draft, driver, hinted=bool(gpus), wsl=wsl, tegra=tegra is not None)
    reachable = control.ok or wsl or (driver.loaded and not control.absent)
    if not gpus and tegra is None and reachable and (control.ok or wsl or not bus.ok):
        gpus = _asked(host, draft, deadline, driver)
    elif gpus and driver.loaded and driver.version is None:
        _asked(host, draft, deadline, driver, only_driver=True)
    if not gpus and tegra is None:
        if not driver.loaded and not wsl and not control.ok and (bus.ok or (bus.absent and control.absent)):
            draft.no_gpus(pci.BUS)
        else:
            draft.miss("gpus", bus.detail or "no file names the cards")


def _loaded_driver(host: Host, draft: Draft) -> _Driver:
    """``/sys/module/nvidia`` and ``/proc/driver/nvidia/version``: what the running kernel says."""
    driver = _Driver()
    text = host.read(PROC_VERSION, 4096)
    version, module = parse_proc_version((text.value or b"").decode("utf-8", "replace"))
    draft.put("drivers.nvidia.module", module, PROC_VERSION)
    path = f"{_MODULE}/version"
    plain = version_in((host.read(path, 256).value or b"").decode("utf-8", "replace"))
    driver.version, driver.source = (plain, path) if plain else (version, PROC_VERSION if text.ok else "")
    folder = host.stat(_MODULE)
    if driver.version or folder.ok or text.ok:
        driver.loaded = True
    elif folder.absent and not text.ok:
        driver.loaded = False
    return driver


def _put_installed(host: Host, draft: Draft, driver: _Driver, *, hinted: bool, wsl: bool, tegra: bool) -> None:
    elsewhere = wsl or tegra
    library, no_library = find_library(host, wsl=wsl)
    if library is not None:
        draft.put("drivers.nvidia.library", library.version, library.path)
        if "/stubs/" in library.path:
            draft.symptom("libcuda-stub", f"{library.path} comes first in LD_LIBRARY_PATH")
    elif no_library:
        draft.put("drivers.nvidia.library", "", "no folder of the loader holds libcuda.so.1")
    draft.put("drivers.nvidia.loaded", driver.loaded, driver.source or _MODULE)
    if driver.version:
        draft.put("drivers.nvidia.version", driver.version, driver.source)
    if driver.loaded:
        draft.put("drivers.nvidia.installed", True, driver.source or _MODULE)
        return
    of_driver = (
        library if library is not None and "/stubs/" not in library.path and "compat" not in library.path else None
    )
    if of_driver is not None:
        draft.put("drivers.nvidia.installed", True, of_driver.path)
        if not elsewhere:
            draft.put("drivers.nvidia.version", of_driver.version, of_driver.path)
        return
    if elsewhere or driver.loaded is None:
        return
    trace, no_trace = traces(host) if hinted else (None, True)
    if trace is not None:
        draft.put("drivers.nvidia.installed", True, trace[0])
        draft.put("drivers.nvidia.version", trace[1], trace[0])
    elif no_library and no_trace:
        draft.put("drivers.nvidia.installed", False, _MODULE)
        draft.put("drivers.nvidia.version", "", _MODULE)


def _asked(
    host: Host, draft: Draft, deadline: float, driver: _Driver, *, only_driver: bool = False
) -> list[tuple[str, dict[str, Any]]]:
    """Ask ``nvidia-smi``; puts what it says. Empty where it does not answer."""
    from torchdoctor.probes.nvidia_query import QUERIES, state_of

    rows, answer = _query(host, deadline)
    argv = " ".join(QUERIES[0][0])
    for row in rows:
        draft.put("drivers.nvidia.version", row.driver, argv)
    if rows:
        draft.put("drivers.nvidia.installed", True, argv)
        draft.put("drivers.nvidia.loaded", True, argv)
    found = [(argv, _fields(row)) for row in rows if not only_driver]
    for source, fields in found:
        draft.gpu(source, **fields)
    if not rows:
        done = answer.value
        said = ((done.stdout + b"\n" + (done.stderr or b"")) if done else b"").decode("utf-8", "replace")
        reason = answer.detail or " ".join(said.split())[:160] or "nvidia-smi said nothing"
        if host.kind != "live" and answer.value is None:
            reason = "what nvidia-smi says was not recorded"
        draft.miss("gpus", reason)
        draft.miss("drivers.nvidia.version", reason)
        if state_of(said) == "not-loaded" and driver.loaded is None:
            draft.put("drivers.nvidia.loaded", False, argv)
    return found


def _query(host: Host, deadline: float) -> tuple[list[Queried], Answer[Completed]]:
    from torchdoctor.probes.nvidia_query import QUERIES, parse_query, state_of

    answer: Answer[Completed] = Answer(status="timeout", detail="no time was left to run nvidia-smi")
    for argv, columns in QUERIES:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        answer = host.run(argv, timeout=min(_PATIENCE, left))
        done = answer.value
        if done is None:
            break
        rows = parse_query(done.stdout.decode("utf-8", "replace"), columns)
        said = (done.stdout + (done.stderr or b"")).decode("utf-8", "replace")
        if rows or state_of(said) != "old":
            return rows, answer
    return [], answer


def _fields(row: Queried) -> dict[str, Any]:
    return {
        "vendor": "nvidia", "name": row.name, "pci_id": row.pci_id, "address": row.address,
        "compute_capability": row.compute_capability, "memory": row.memory,
    }  # fmt: skip


def _windows(host: Host, draft: Draft, deadline: float) -> None:
    from torchdoctor.probes import adapters

    found = adapters.put(host, draft, "nvidia")
    bound = [a for a in found if not a.basic]
    for adapter in bound:
        draft.put("drivers.nvidia.version", adapters.nvidia_version(adapter.version), adapter.source)
        draft.put("drivers.nvidia.installed", True, adapter.source)
    if found and not bound:
        draft.put("drivers.nvidia.installed", False, found[0].source)
        draft.put("drivers.nvidia.version", "", found[0].source)
    if not found and not host.subkeys(adapters.CLASS).ok and host.kind == "live":
        _asked(host, draft, deadline, _Driver())
