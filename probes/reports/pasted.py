"""A whole pasted text: one recogniser and one parser a kind. A paste may hold several kinds; every part is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import holds
from torchdoctor.probes.reports.amd_smi import read_amd_smi
from torchdoctor.probes.reports.amd_tools import read_amd
from torchdoctor.probes.reports.collect_env import read_dump
from torchdoctor.probes.reports.commands import read_commands
from torchdoctor.probes.reports.conclusions import conclude
from torchdoctor.probes.reports.conda_output import read_conda
from torchdoctor.probes.reports.device_access import read_device_access
from torchdoctor.probes.reports.extension_messages import read_extension_messages
from torchdoctor.probes.reports.free_text import read_free_text
from torchdoctor.probes.reports.graphics_tools import read_graphics
from torchdoctor.probes.reports.intel_tools import read_intel
from torchdoctor.probes.reports.kernel_log import read_kernel_log
from torchdoctor.probes.reports.machine_tools import read_machine
from torchdoctor.probes.reports.merge import merge_gpus
from torchdoctor.probes.reports.nvidia_smi import read_nvidia_smi
from torchdoctor.probes.reports.package_json import read_package_json
from torchdoctor.probes.reports.package_list import read_packages
from torchdoctor.probes.reports.package_tree import read_package_tree
from torchdoctor.probes.reports.pip_output import read_pip
from torchdoctor.probes.reports.pip_show import read_pip_show
from torchdoctor.probes.reports.processor import read_processor
from torchdoctor.probes.reports.project_files import read_project_files
from torchdoctor.probes.reports.python_session import read_session
from torchdoctor.probes.reports.reading import Reading, open_reading
from torchdoctor.probes.reports.recognise import recognise
from torchdoctor.probes.reports.report_json import read_report_json
from torchdoctor.probes.reports.symptoms import read_symptoms
from torchdoctor.probes.reports.system_profiler import read_system_profiler
from torchdoctor.probes.reports.torch_config import read_torch_config
from torchdoctor.probes.reports.torch_messages import read_torch_messages
from torchdoctor.probes.reports.uv_output import read_uv
from torchdoctor.probes.reports.windows_tools import read_windows

__all__ = ["Pasted", "read_command", "read_text"]

#: Strict parsers first: what they understand they take, and looser ones leave it alone.
_PARSERS: tuple[Callable[[Reading], None], ...] = (
    read_nvidia_smi,
    read_amd,
    read_amd_smi,
    read_intel,
    read_system_profiler,
    read_graphics,
    read_torch_config,
    read_torch_messages,
    read_extension_messages,
    read_package_tree,
    read_packages,
    read_pip_show,
    read_package_json,
    read_dump,
    read_session,
    read_pip,
    read_uv,
    read_conda,
    read_project_files,
    read_commands,
    read_machine,
    read_processor,
    read_windows,
    read_kernel_log,
    read_device_access,
    read_free_text,
    read_symptoms,
)

#: Commands whose few words of output say nothing of their kind.
_ANSWERS = ("nv_tegra_release", "nvidia-l4t-", "nvidia-jetpack", "jetson_release", "rocm_agent_enumerator",
            "/proc/driver/nvidia/version", "modinfo nvidia")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """What a text holds: its dominant kind (``source.kind`` of a report), every kind seen, and the facts so far."""

    kind: str
    kinds: tuple[str, ...]
    draft: Draft


def read_text(text: str, name: str) -> Pasted:
    """Reads one pasted text. Every fact carries ``line N: …`` as its source; what the text does not say stays unknown.

    Raises :class:`~torchdoctor.probes.profile.ProfileError` where the text is one of our own documents and is malformed.
    """
    ours = read_report_json(text, name)
    if ours is not None:
        return Pasted(kind=ours[0], kinds=(ours[0],), draft=ours[1])
    reading = _read(text)
    kind, kinds = recognise(reading)
    return Pasted(kind=kind, kinds=kinds, draft=reading.draft)


def read_command(argv: Sequence[str], text: str) -> Draft | None:
    """Facts in the recorded output of a command, or ``None`` where its output is of no recognised kind."""
    if not text.strip():
        return None
    shown = " ".join(argv)
    reading = _read(f"$ {shown}\n{text}")
    known = [k for k, weight in reading.kinds.items() if k != "free_text" and weight >= 5]
    return reading.draft if known or holds(shown, _ANSWERS) else None


def _read(text: str) -> Reading:
    reading = open_reading(text)
    for parse in _PARSERS:
        parse(reading)
    merge_gpus(reading)
    conclude(reading)
    return reading
