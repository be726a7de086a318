"""Recorded machines for the probes: those under ``tests/hosts`` and ones a test writes on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.recording import RecordedHost, load_recording

HOSTS = Path(__file__).parents[1] / "hosts"

Record = Callable[..., RecordedHost]


@pytest.fixture
def host() -> Callable[[str], RecordedHost]:
    """A recorded machine of ``tests/hosts`` by name."""
    return lambda name: load_recording(str(HOSTS / name), name)


@pytest.fixture
def recorded(tmp_path: Path) -> Record:
    """``recorded(files={"/proc/version": "…"}, commands={"uname -m": "…"}, system="linux", absent=[…])``."""
    count = 0

    def write(
        files: Mapping[str, str | bytes] = {},
        commands: Mapping[str, str | bytes | tuple[int, bytes, bytes]] = {},
        **manifest: Any,
    ) -> RecordedHost:
        nonlocal count
        count += 1
        folder = tmp_path / f"recording-{count}"
        for path, content in files.items():
            full = folder / "root" / path.lstrip("/")
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(content.encode() if isinstance(content, str) else content)
        rows: list[dict[str, Any]] = list(manifest.pop("rows", ()))
        (folder / "commands").mkdir(parents=True, exist_ok=True)
        for index, (command, output) in enumerate(commands.items()):
            code, out, err = output if isinstance(output, tuple) else (0, output, b"")
            (folder / f"commands/{index}.txt").write_bytes(out.encode() if isinstance(out, str) else out)
            (folder / f"commands/{index}.err").write_bytes(err)
            row = {"argv": command.split(" "), "returncode": code, "stdout": f"commands/{index}.txt"}
            rows.append({**row, "stderr": f"commands/{index}.err" if err else None})
        document = {"schema": "torchdoctor/recording/1", "system": "linux", "commands": rows, **manifest}
        (folder / "recording.json").write_text(json.dumps(document))
        return load_recording(str(folder), folder.name)

    return write


@pytest.fixture
def probed() -> Callable[..., Facts]:
    """Facts of one probe's function over a host."""

    def run(probe: Callable[..., None], host: Any, **more: Any) -> Facts:
        draft = Draft()
        probe(host, draft, 1e12, **more)
        return draft.build()

    return run
