"""``torchdoctor check PATH``: a project's files judged for this machine or a declared one."""

from __future__ import annotations

from torchdoctor.api import InputError, Options, judged
from torchdoctor.probes.facts import Facts, Setting
from torchdoctor.report import Report

__all__ = ["check_project"]

_OF_A_PROJECT = ("pyproject.toml", "pdm.toml")
_NOT_OURS = ("request", "torch", "packages", "distributions", "settings")


def check_project(path: str, facts: Facts, options: Options) -> Report:
    """What the project at ``path`` would install, judged for the machine of ``facts``. Raises ``InputError``."""
    from torchdoctor.matrix.markers import holds
    from torchdoctor.probes.draft import Draft
    from torchdoctor.probes.live import LiveHost
    from torchdoctor.probes.projects import ProjectError, examine_project

    draft = Draft()
    try:
        decided = examine_project(LiveHost(), path, draft, holds=lambda marker: holds(marker, facts))
    except ProjectError as error:
        raise InputError(str(error)) from None
    if decided is None and options.torch is None:
        raise InputError(f"{path}: expected a requirement on torch, found none that holds on this machine")
    project = draft.build()
    settings = (*(s for s in facts.settings or () if not _of_a_project(s)), *(project.settings or ()))
    sources = {k: v for k, v in facts.sources.items() if not k.startswith(_NOT_OURS)}
    told = facts.replace(request=project.request, settings=settings, sources={**sources, **project.sources})
    return judged(told, ("project", path), options, project=True)


def _of_a_project(setting: Setting) -> bool:
    """Settings of the current folder's project say nothing of another one."""
    return (setting.file or "").endswith(_OF_A_PROJECT)
