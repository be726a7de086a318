"""Our own documents pasted back: a report (its ``facts`` and ``sources``) or a machine profile."""

from __future__ import annotations

import json
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.profile import ProfileError, facts_from_mapping, facts_to_mapping

__all__ = ["read_report_json"]

_GROUPS = ("system", "cpu", "python", "gpus", "drivers", "runtimes", "packages", "torch", "environment", "devices", "settings", "symptoms", "request", "tools", "resources")  # fmt: skip


def read_report_json(text: str, name: str) -> tuple[str, Draft] | None:
    """(kind, draft) of a report or a machine profile; ``None`` where the text is neither.

    Raises :class:`ProfileError` where the document is one of ours and a value in it has the wrong type.
    """
    text = text.lstrip("\ufeff \t\r\n")
    if not text.startswith("{"):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    schema = document.get("schema")
    report = isinstance(schema, str) and schema.startswith("torchdoctor/report/")
    facts = document.get("facts") if report else document
    if not report and not (len(set(document) & set(_GROUPS)) >= 1 and set(document) <= {*_GROUPS, "name", "schema"}):
        return None
    try:
        checked = facts_to_mapping(facts_from_mapping(facts))
    except ProfileError as error:
        raise ProfileError(f"{name}: {error}") from None
    sources = document.get("sources") if report else None
    draft = Draft()
    _fill(draft, checked, sources if isinstance(sources, dict) else {}, name)
    unknown = document.get("unknown") if report else None
    if isinstance(unknown, dict):
        for path, reason in unknown.items():
            if isinstance(reason, str):
                draft.miss(str(path), reason)
    return ("report" if report else "machine"), draft


def _fill(draft: Draft, facts: dict[str, Any], sources: dict[str, Any], name: str) -> None:
    def source(path: str) -> str:
        found = sources.get(path)
        return found if isinstance(found, str) else name

    for group, value in facts.items():
        if group == "gpus" and value is not None:
            for index, gpu in enumerate(value):
                draft.gpu(source(f"gpus[{index}]"), **{k: v for k, v in gpu.items() if v is not None})
            if not value:
                draft.no_gpus(source("gpus"))
        elif group == "symptoms":
            for symptom in value or ():
                draft.symptom(symptom["id"] or "", symptom["text"] or "", symptom["line"])
        elif group == "settings":
            if value is not None:
                draft.settings_read()
            for setting in value or ():
                draft.setting(setting["file"] or "", setting["line"], setting["key"] or "", setting["value"] or "")
        elif group in ("packages", "environment"):
            if value is not None:
                draft.mapping(group, source(group))
            for key, text in (value or {}).items():
                draft.put(f"{group}.{key}", text, source(f"{group}.{key}"))
        elif group == "devices":
            if value is not None:
                draft.mapping(group, source(group))
            for key, device in (value or {}).items():
                for leaf, fact in device.items():
                    draft.put(f"devices.{key}.{leaf}", fact, source(f"devices.{key}.{leaf}"))
        elif isinstance(value, dict):
            _leaves(draft, group, value, source)


def _leaves(draft: Draft, path: str, value: dict[str, Any], source: Any) -> None:
    for key, leaf in value.items():
        if isinstance(leaf, dict):
            _leaves(draft, f"{path}.{key}", leaf, source)
        else:
            draft.put(f"{path}.{key}", tuple(leaf) if isinstance(leaf, list) else leaf, source(f"{path}.{key}"))
