"""Builders of small transcripts, so that a test shows only the field that it is about."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SESSION = "0b0e1d5c-0000-4000-8000-000000000000"


def on_disk(number: int, type_: str, **fields: Any) -> dict[str, Any]:
    """An entry of a Claude Code transcript."""
    return {
        "type": type_,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": SESSION,
        "timestamp": f"2026-01-01T00:00:{number % 60:02d}.000Z",
        **fields,
    }


def user(number: int, content: Any, **fields: Any) -> dict[str, Any]:
    return on_disk(number, "user", message={"role": "user", "content": content}, **fields)


def reply(number: int, *blocks: dict[str, Any], message: str = "", **fields: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"role": "assistant", "model": "m", "content": list(blocks)}
    body["id"] = message or f"msg{number}"
    if "usage" in fields:
        body["usage"] = fields.pop("usage")
    return on_disk(number, "assistant", message=body, **fields)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(id_: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def result(id_: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **fields}


def write(path: Path, entries: Iterable[dict[str, Any] | str | bytes], end: bytes = b"\n") -> Path:
    """Write entries a line each; bytes and strings go in as they are."""
    lines = [
        entry
        if isinstance(entry, bytes)
        else (entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)).encode()
        for entry in entries
    ]
    path.write_bytes(b"".join(line + end for line in lines))
    return path
