"""Tool calls of the Agent Client Protocol: a call and its updates put together, and what they mean."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.layers import edited_path
from sessions.readers.base import mapping_of, name_of, text_of
from sessions.readers.codex_words import exit_code, plain, shell_text, with_code
from sessions.readers.diffs import edit_diff
from sessions.readers.patches import Changes

_FENCE = re.compile(r"\A```[^\n`]*\n(.*?)\n?```\Z", re.DOTALL)
_NAMES = {
    "execute": "Bash",
    "read": "Read",
    "edit": "Edit",
    "delete": "delete",
    "move": "move",
    "search": "Grep",
}
_OUTPUTS = ("formatted_output", "aggregated_output", "output", "stdout", "text", "message")
_CODES = ("exit_code", "exitCode")
ENDED = frozenset({"completed", "failed"})


@dataclass(slots=True)
class ToolUse:
    """One call as far as its messages tell. `head` is that of its first message; `told`: its event is out."""

    call: str
    head: dict[str, Any]
    message: str
    title: str = ""
    kind: str = ""
    status: str = ""
    name: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    content: list[Any] = field(default_factory=list)
    places: list[Any] = field(default_factory=list)
    raw: Any = None
    response: Mapping[str, Any] = field(default_factory=dict)
    terminal: str = ""
    code: int | None = None
    told: bool = False
    ended: bool = False

    def update(self, update: Mapping[str, Any]) -> None:
        """Take in the call's next message: what it has replaces what was there, output is added."""
        self.title = name_of(update.get("title")) or self.title
        self.kind = name_of(update.get("kind")) or self.kind
        self.status = name_of(update.get("status")) or self.status
        given, content, places = update.get("rawInput"), update.get("content"), update.get("locations")
        if isinstance(given, dict) and given:
            self.given = given
        if isinstance(content, list) and content:
            self.content = content
        if isinstance(places, list) and places:
            self.places = places
        if update.get("rawOutput") is not None:
            self.raw = update["rawOutput"]
        meta = mapping_of(update.get("_meta"))
        claude = mapping_of(meta.get("claudeCode"))
        self.name = name_of(claude.get("toolName")) or self.name
        self.response = mapping_of(claude.get("toolResponse")) or self.response
        for name in ("terminal_output", "terminal_output_delta"):
            self.terminal += text_of(mapping_of(meta.get(name)).get("data"))
        code = exit_code(mapping_of(meta.get("terminal_exit")).get("exit_code"))
        self.code = self.code if code is None else code

    @property
    def ready(self) -> bool:
        """What is called is known: the client no longer writes the input."""
        return bool(self.given) and self.status not in ("", "pending")

    @property
    def tool(self) -> str:
        """The tool as the layer map knows it, else the agent's own name or the kind of call."""
        return self.name or _NAMES.get(self.kind, self.kind or "tool")

    @property
    def input(self) -> dict[str, Any]:
        """The input; where the agent does not tell it, what title, places and differences say."""
        given = dict(self.given)
        if self.tool == "Bash":
            command = given.get("command", given.get("cmd"))
            given["command"] = self.title if command is None else shell_text(command)
        elif self.kind in ("read", "edit", "delete", "move") and not _path(given):
            paths = [path for path, _ in self.changes] or [_path(mapping_of(place)) for place in self.places]
            if paths and paths[0]:
                given["file_path"] = paths[0]
        if not given and self.title:
            given["title"] = self.title
        return given

    @property
    def changes(self) -> Changes:
        """The files that the call shows as changed."""
        diffs = [item for item in map(mapping_of, self.content) if item.get("type") == "diff"]
        patch = self.response if len(diffs) == 1 and self.response.get("structuredPatch") else None
        found = ((text_of(item.get("path")), item) for item in diffs)
        return tuple((path, _diff(path, item, patch)) for path, item in found if path)

    @property
    def told_change(self) -> Changes:
        """What the input alone says is changed."""
        path = edited_path(self.tool, self.given)
        return ((path, edit_diff(path, self.given, self.response or None)),) if path else ()

    @property
    def outcome(self) -> tuple[str, bool]:
        """Its output, and whether it failed."""
        failed, code = self.status == "failed", self.code
        raw = self.raw
        if isinstance(raw, dict):
            code = (
                code
                if code is not None
                else next((found for name in _CODES if (found := exit_code(raw.get(name))) is not None), None)
            )
            raw = next((raw[name] for name in _OUTPUTS if isinstance(raw.get(name), str)), raw)
        if raw is None or raw == "":
            raw = self.terminal or self._shown()
        return with_code(plain(raw), code, failed)

    def _shown(self) -> str:
        parts = [mapping_of(item.get("content")) for item in map(mapping_of, self.content)]
        texts = [plain([part]) for part in parts if part]
        return "\n".join(_FENCE.sub(r"\1", text) for text in texts)


def _path(given: Mapping[str, Any]) -> str:
    return next((name_of(given.get(key)) for key in ("file_path", "path", "abs_path") if given.get(key)), "")


def _diff(path: str, item: Mapping[str, Any], patch: Mapping[str, Any] | None) -> str:
    call = {"old_string": text_of(item.get("oldText")), "new_string": text_of(item.get("newText"))}
    return edit_diff(path, call, patch)
