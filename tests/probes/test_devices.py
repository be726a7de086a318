"""Device nodes."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes.devices import put_node, put_render_nodes
from torchdoctor.probes.draft import Draft


def devices(*paths: Any, host: Any) -> Any:
    draft = Draft()
    for path in paths:
        put_node(host, draft, path)
    return draft.build().devices


def test_there_and_not_there_and_not_known(recorded: Any) -> None:
    host = recorded(stat={"/dev/kfd": {"mode": "0660", "group": "render", "openable": False}}, absent=["/dev/dxg"])
    found = devices("/dev/kfd", "/dev/dxg", "/dev/other", host=host)
    assert (found["/dev/kfd"].present, found["/dev/kfd"].openable, found["/dev/kfd"].group) == (True, False, "render")
    assert (found["/dev/dxg"].present, found["/dev/dxg"].openable) == (False, None)
    assert "/dev/other" not in found


def test_denied_is_there(recorded: Any) -> None:
    assert devices("/dev/kfd", host=recorded(denied=["/dev/kfd"]))["/dev/kfd"].openable is False


def test_render_nodes(recorded: Any) -> None:
    host = recorded(
        listings={"/dev/dri": ["by-path", "card0", "renderD128"]}, stat={"/dev/dri/renderD128": {"openable": True}}
    )
    draft = Draft()
    put_render_nodes(host, draft)
    assert set(draft.build().devices or ()) == {"/dev/dri/renderD128"}
    draft = Draft()
    put_render_nodes(recorded(absent=["/dev/dri"]), draft)
    assert draft.build().get("devices")["/dev/dri"].present is False
    draft = Draft()
    put_render_nodes(recorded(), draft)
    assert draft.build().devices is None
