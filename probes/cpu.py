"""The processor: vendor, model, architecture level and features, as the guest sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torchdoctor.probes import arm
from torchdoctor.probes.cpuinfo_text import (
    Reading,
    parse_bsd_boot,
    parse_cpuid,
    parse_cpuinfo,
    parse_isainfo,
    parse_lscpu,
    reading_of_arm,
    reading_of_x86,
)
from torchdoctor.probes.data import table
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host

if TYPE_CHECKING:
    from torchdoctor.probes.sysctl import Sysctl

__all__ = ["probe", "reading_of_sysctl"]

_CPUINFO = "/proc/cpuinfo"
_CPUS = "/sys/devices/system/cpu"
_BOOT = "/var/run/dmesg.boot"
_REGISTRY = "HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"
_LIMIT = 4 << 20  # a thousand threads on one host


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Put ``cpu.*``. ``level`` and ``features`` stay unknown where nothing says what the processor can do."""
    # A recording may hold what its own system would not have: the usual way first, then whatever is there.
    ways = {"linux": (_from_cpuinfo, _from_hwcaps), "macos": (_from_sysctl,), "windows": (_from_windows,)}
    found: list[tuple[Reading, str]] = []
    for way in (*ways.get(host.system or "", ()), _from_cpuinfo, _from_boot, _from_commands, _from_midr):
        answer = way(host, draft)
        if answer is not None:
            found.append(answer)
            if answer[0].features is not None and answer[0].model:
                break
    for reading, source in found:
        draft.put("cpu.vendor", reading.vendor, source)
        draft.put("cpu.model", reading.model, source)
        draft.put("cpu.level", reading.level, source)
        draft.put("cpu.features", reading.features, source)
    if draft.value("cpu.model") is None and any(r.family == "x86" for r, _ in found):
        draft.put("cpu.model", host.value("cpu.brand").value, "py-cpuinfo")
    if draft.value("cpu.features") is None:
        reason = host.read(_CPUINFO, 1).detail if host.system == "linux" else ""
        draft.miss("cpu.features", reason or "no source lists the processor's features")


def _from_cpuinfo(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    answer = host.read(_CPUINFO, _LIMIT)
    reading = parse_cpuinfo(answer.value.decode("utf-8", "replace")) if answer.value else None
    if reading is None:
        return None
    machine = str(host.value("uname.machine").value or "")
    foreign = (reading.family == "x86" and machine == "aarch64") or (reading.family == "arm64" and machine == "x86_64")
    if foreign:
        # User-mode emulation shows the host's file to a process of another architecture.
        draft.miss("cpu.features", f"{_CPUINFO} describes another processor than the {machine} one that programs see")
        return None
    return reading, _CPUINFO


def _from_hwcaps(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    if str(host.value("uname.machine").value or "") != "aarch64" or host.value("bits").value not in (64, None):
        return None
    masks = {entry: host.value(f"auxv:{entry}").value for entry in (16, 26)}
    known = {entry: mask for entry, mask in masks.items() if isinstance(mask, int)}
    if not known.get(16):
        return None
    return reading_of_arm(arm.features_of_hwcaps(known)), "auxiliary vector"


def _from_midr(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    cores: list[tuple[str, str]] = []
    for name in host.listing(_CPUS).value or ():
        if re.fullmatch(r"cpu\d{1,5}", name):
            text = host.read(f"{_CPUS}/{name}/regs/identification/midr_el1", 64).value
            core = arm.core_of_midr(text.decode("ascii", "replace")) if text else None
            if core is not None:
                cores.append(core)
    if not cores:
        return None
    vendor = next(filter(None, (arm.implementer(code) for code, _ in cores)), None)
    reading = Reading(family="arm64", vendor=vendor, model=arm.names(cores))
    return reading, f"{_CPUS}/cpu*/regs/identification/midr_el1"


def _from_boot(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    text = host.read(_BOOT).value
    reading = parse_bsd_boot(text.decode("utf-8", "replace")) if text else None
    return None if reading is None else (reading, _BOOT)


def _from_commands(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    parsers: dict[str, Callable[[str], Reading | None]] = {
        "lscpu": parse_lscpu, "cpuid": parse_cpuid, "isainfo": parse_isainfo, "dmesg": parse_bsd_boot,
    }  # fmt: skip
    from torchdoctor.probes.gather import decode

    for argv, done in host.commands():
        parse = parsers.get(argv[0].rpartition("/")[2]) if argv else None
        reading = parse(decode(done.stdout)) if parse is not None else None
        if reading is not None:
            return reading, " ".join(argv)
    return None


def _from_sysctl(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    from torchdoctor.probes.sysctl import Sysctl

    reading = reading_of_sysctl(Sysctl(host))
    return None if reading is None else (reading, "sysctl")


def reading_of_sysctl(sysctl: Sysctl) -> Reading | None:
    """macOS. Under Rosetta an x86 process sees ``VirtualApple`` and the flags that the translation offers."""
    brand = sysctl.text("machdep.cpu.brand_string")
    flags = sysctl.text("machdep.cpu.features")
    if flags:
        words = " ".join(
            filter(None, (flags, *map(sysctl.text, ("machdep.cpu.leaf7_features", "machdep.cpu.extfeatures"))))
        )
        return reading_of_x86(words.split(), vendor=sysctl.text("machdep.cpu.vendor"), model=brand)
    if brand is None or not brand.startswith("Apple"):
        return None if brand is None else Reading(family="x86", vendor=sysctl.text("machdep.cpu.vendor"), model=brand)
    found, unsaid = _apple_features(sysctl)
    reading = reading_of_arm(found, vendor="Apple", model=brand)
    if not found or arm.level([*found, *unsaid]) != reading.level:
        # Each macOS knows more keys than the one before: what has no key may be there all the same.
        return replace(reading, family="arm64", level=None)
    return reading


def _apple_features(sysctl: Sysctl) -> tuple[list[str], list[str]]:
    """Features that are there, and those of which this macOS says nothing."""
    names = table("cpu")["apple_features"]
    said: dict[str, bool] = {}
    for key, features in [*((f"hw.optional.arm.{k}", fs) for k, fs in names["rows"].items()), *names["old"].items()]:
        flag = sysctl.flag(key)
        if flag is not None:
            said.update({f: flag or said.get(f, False) for f in features})
    every = [f for features in names["rows"].values() for f in features]
    return [f for f, there in said.items() if there], [f for f in every if f not in said]


def _from_windows(host: Host, draft: Draft) -> tuple[Reading, str] | None:
    values = host.registry(_REGISTRY).value or _exported(host)
    identifier = str(values.get("Identifier") or (host.environ().value or {}).get("PROCESSOR_IDENTIFIER") or "")
    model = str(values.get("ProcessorNameString") or "") or None
    vendor = str(values.get("VendorIdentifier") or "") or None
    wide_arm = identifier.startswith("ARMv8")
    present = {
        f: host.value(f"processor_feature:{n}")
        for n, f in table("cpu")[f"{'arm' if wide_arm else 'x86'}_windows"]["rows"].items()
    }
    found = [feature for feature, answer in present.items() if answer.value is True]
    if wide_arm:
        return reading_of_arm(found, vendor=vendor, model=model), _REGISTRY
    if not (values or found):
        return None
    # Windows does not say fma, bmi and movbe: a level that rests on them stays unknown, and so does one below it.
    # An old one knows none of the numbers from 36 on and says no to all of them.
    features = tuple(sorted(found)) if "ssse3" in found or "sse4_1" in found else None
    return Reading(family="x86", vendor=vendor, model=model, features=features), _REGISTRY


def _exported(host: Host) -> Mapping[str, Any]:
    """The same key as ``reg query`` or ``reg export`` printed it, or ``Win32_Processor``, in a recording."""
    from torchdoctor.probes.gather import decode
    from torchdoctor.probes.registry_text import parse_blocks, parse_reg

    for _, done in host.commands():
        text = decode(done.stdout)
        if "CentralProcessor" in text:
            for key, values in parse_reg(text).items():
                if key.endswith("\\CentralProcessor\\0"):
                    return values
        if "Manufacturer" in text and "AddressWidth" in text:
            for block in parse_blocks(text):
                if block.get("AddressWidth") and block.get("Name"):
                    return {"ProcessorNameString": block["Name"], "VendorIdentifier": block.get("Manufacturer")}
    return {}
