"""Device nodes: is it there, may this user open it, which group owns it."""

from __future__ import annotations

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import DENIED, Answer, Host, Stat

__all__ = ["put_node", "put_render_nodes"]

_DRI = "/dev/dri"


def put_node(host: Host, draft: Draft, path: str) -> Answer[Stat]:
    """Put ``devices.PATH.*``; a node of which nothing is recorded is left out."""
    answer = host.stat(path)
    if answer.absent:
        draft.put(f"devices.{path}.present", False, path)
    elif answer.status == DENIED:
        draft.put(f"devices.{path}.openable", False, path)
    elif answer.value is not None:
        draft.put(f"devices.{path}.present", True, path)
        draft.put(f"devices.{path}.openable", answer.value.openable, path)
        draft.put(f"devices.{path}.group", answer.value.group, path)
    return answer


def put_render_nodes(host: Host, draft: Draft) -> None:
    """Every ``/dev/dri/renderD…``, or that the folder is not there at all."""
    names = host.listing(_DRI)
    if names.absent:
        draft.put(f"devices.{_DRI}.present", False, _DRI)
    for name in names.value or ():
        if name.startswith("renderD"):
            put_node(host, draft, f"{_DRI}/{name}")
