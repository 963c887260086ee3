"""Codex's words: who wrote a text in the user's place, what a shell call runs, how a call came out."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from sessions.clean import mend
from sessions.readers.base import mapping_of, text_of
from sessions.readers.lines import too_deep

# How texts begin that the client puts in the user's place, and who speaks in them. Sources: the marks of
# contextual messages in the client's public source, and the recorded rollouts.
_BEGINNINGS: tuple[tuple[str, str], ...] = (
    ("<environment_context>", "client"),
    ("<user_instructions>", "client"),
    ("# AGENTS.md instructions", "client"),
    ("<INSTRUCTIONS>", "client"),
    ("<turn_aborted>", "client"),
    ("<user_shell_command>", "client"),
    ("<user_action>", "client"),
    ("<permissions instructions>", "client"),
    ("<collaboration_mode>", "client"),
    ("<model_switch>", "client"),
    ("<personality_spec>", "client"),
    ("<skill>", "client"),
    ("<skills_", "client"),
    ("<plugins", "client"),
    ("<apps_", "client"),
    ("<js_repl_instructions>", "client"),
    ("<child_agents_instructions>", "client"),
    ("<subagents>", "client"),
    ("<goal_context>", "client"),
    ("<system-reminder>", "client"),
    ("<hook_prompt", "hook"),
    ("<subagent_notification>", "task"),
    ("Another language model started to solve this problem and produced a summary", "client"),
    ("Warning: apply_patch was requested via", "client"),
    ("Warning: The maximum number of unified exec processes", "client"),
)
_REQUEST = re.compile(
    r"\A# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE
)
_HOOK = re.compile(r"<hook_prompt\b[^>]*>(.*?)</hook_prompt>", re.DOTALL)

_SHELL_CALL = re.compile(r"(?:\S*/)?(?:ba|z|da)?sh\s+-l?c\s")
_SHELL = re.compile(r"(?:.*/)?(?:ba|z|da)?sh\Z")
_FLAG = re.compile(r"-l?c\Z")

_CODE = re.compile(r"(?:Process exited with code|Exit code:?)\s+(-?\d{1,9})\s*\Z")
_HEADER = re.compile(r"(?:Chunk ID|Wall time|Original token count|Total output lines|Duration)\b")
_RUNNING = "Process running with session ID"
_OUTPUT = "Output:\n"
# How results begin of calls that were not carried out.
_TROUBLE = (
    "unsupported call",
    "unsupported custom tool call",
    "failed to parse function arguments",
    "exec_command failed",
    "write_stdin failed",
    "execution error",
    "exec command rejected",
    "patch rejected",
    "apply_patch verification failed",
    "apply_patch handler received",
    "aborted",
    "command timed out",
)


def writer(text: str, provenance: object = None) -> str:
    """`human`, or who else wrote a text in the user's place: `client`, `hook` or `task`.

    `provenance` is what newer clients note about a piece of content.
    """
    noted = mapping_of(provenance)
    if noted.get("hook") is True:
        return "hook"
    start = text.lstrip()
    for beginning, who in _BEGINNINGS:
        if start.startswith(beginning):
            return who
    return "client" if noted.get("type") == "harness" else "human"


def provenances(item: Mapping[str, Any]) -> list[object]:
    """What newer clients note about who wrote each piece of a message."""
    passed = mapping_of(item.get("internal_chat_message_metadata_passthrough"))
    noted = passed.get("content_item_metadata")
    return [mapping_of(one).get("provenance") for one in noted] if isinstance(noted, list) else []


def own_request(text: str) -> str:
    """A person's words without what an editor puts before them."""
    return _REQUEST.sub("", text).strip()


def hook_words(text: str) -> str:
    """What a hook said, out of its wrapping."""
    found = _HOOK.findall(text)
    return "\n".join(part.strip() for part in found) if found else text


def shell_text(command: object) -> str:
    """The command line of a shell call: the script of `bash -lc SCRIPT`, else the words joined."""
    words = command
    if isinstance(command, str):
        if not _SHELL_CALL.match(command):
            return command
        try:
            words = shlex.split(command)
        except ValueError:
            return command
        if len(words) != 3:
            return command
    if not isinstance(words, list):
        return text_of(command)
    parts = [text_of(word) for word in words]
    if len(parts) == 3 and _SHELL.match(parts[0]) and _FLAG.match(parts[1]):
        return parts[2]
    return shlex.join(parts)


def plain(content: object) -> str:
    """Text of content items; what is no text is named in brackets."""
    if not isinstance(content, list):
        return text_of(content)
    parts = []
    for item in content:
        if isinstance(item, dict):
            text = item.get("text")
            kind = text_of(item.get("type")).removeprefix("input_").removeprefix("output_")
            parts.append(text if isinstance(text, str) else f"[{kind[:40] or 'content'}]")
        elif item is not None:
            parts.append(text_of(item))
    return "\n".join(parts)


def outcome(output: object) -> tuple[str, bool]:
    """What a call put out, and whether it failed. The client's header before the output is taken off.

    A failed command's output begins with `Exit code N`, as other clients' do.
    """
    failed = False
    if isinstance(output, dict):
        failed = output.get("success") is False
        output = output.get("content", output.get("output"))
    text = plain(output)
    code: int | None = None
    if text.startswith("{"):
        text, code = _from_json(text)
    head, mark, body = text.partition(_OUTPUT)
    if mark:
        lines = [line.strip() for line in head.split("\n") if line.strip()]
        codes = [match for line in lines if (match := _CODE.match(line))]
        running = [line for line in lines if line.startswith(_RUNNING)]
        if lines and len(lines) == len(codes) + len(running) + sum(bool(_HEADER.match(one)) for one in lines):
            text = "\n".join([*running, body]) if running else body
            code = int(codes[0].group(1)) if codes else code
    return with_code(text, code, failed or text.startswith(_TROUBLE))


def with_code(text: str, code: int | None, failed: bool = False) -> tuple[str, bool]:
    """The output and whether it is a failure, by exit code."""
    if code:
        return (f"Exit code {code}\n{text}" if text.strip() else f"Exit code {code}"), True
    return text, failed


def _from_json(text: str) -> tuple[str, int | None]:
    """Older clients wrote a shell's output as JSON, with its exit code."""
    value = _parsed(text)
    if not isinstance(value, dict) or not isinstance(value.get("output"), str):
        return text, None
    return value["output"], exit_code(mapping_of(value.get("metadata")).get("exit_code"))


def exit_code(value: object) -> int | None:
    """An exit code, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 32 else None


def arguments_of(value: object) -> dict[str, Any]:
    """The arguments of a call, which stand in JSON as text or are an object already."""
    if isinstance(value, str):
        parsed = _parsed(value)
        return parsed if isinstance(parsed, dict) else {"arguments": value} if value else {}
    if isinstance(value, dict):
        return dict(value)
    return {} if value is None else {"arguments": value}


def _parsed(text: str) -> Any:
    """JSON within a text of JSON, which may be as damaged as the line it stands in; else None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if isinstance(value, dict | list) and too_deep(value) else mend(value)
