"""Our hooks in a client's settings: put in, found again, taken out. Pure: JSON values in, JSON values out.

Each of our commands carries its own tag, the words `hook NAME --home HOME --attached SESSION`: whoever
finds one knows whose it is, even when everything else about it is lost.
"""

import copy
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelseek_tui.hooks import rewake
from kernelseek_tui.hooks.program import CAP, CAP_NAME, hook_command, hook_group

Settings = dict[str, Any]

_TAG = re.compile(r"\bhook (?P<name>[a-z-]+) --home (?P<home>.+) --attached (?P<session>[A-Za-z0-9-]+)$")

_HOOKS = (
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt-submit"),
    ("PostToolUse", "post-tool-use"),
    ("PostToolUseFailure", "post-tool-use-failure"),
    ("Stop", "stop"),
    ("SessionEnd", "session-end"),
)


class Unmergeable(ValueError):  # noqa: N818 - says what is wrong with the settings, not with the program
    """The settings are not of the shape that hooks can be put into; the message says where."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Whose hook a command is."""

    home: Path
    session: str


def tag_of(command: object) -> Tag | None:
    """The tag of one of our commands; None for anybody else's."""
    found = _TAG.search(command) if isinstance(command, str) else None
    if found is None:
        return None
    try:
        (home,) = shlex.split(found["home"])
    except ValueError:
        return None
    return Tag(Path(home), found["session"])


def our_hooks(program: Sequence[str], tag: Tag) -> dict[str, list[dict[str, Any]]]:
    """What is added for one session, by the client's name of the event."""
    added: dict[str, list[dict[str, Any]]] = {}
    for event, name in _HOOKS:
        group = hook_group(event, program, name, tag.home, tag.session)
        if event == "Stop":
            command = hook_command(program, "rewake", tag.home, tag.session)
            waiter = {"type": "command", "command": command, "timeout": rewake.LIMIT, "asyncRewake": True}
            group["hooks"].append(waiter)
        added[event] = [group]
    return added


def merged(settings: Settings, program: Sequence[str], tags: Iterable[Tag]) -> Settings:
    """The settings with our hooks for these sessions behind the person's own. Raises `Unmergeable`."""
    result = copy.deepcopy(settings)
    hooks = result.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise Unmergeable("its `hooks` is no object")
    env = result.setdefault("env", {})
    if not isinstance(env, dict):
        raise Unmergeable("its `env` is no object")
    env.setdefault(CAP_NAME, CAP)
    for tag in tags:
        for event, groups in our_hooks(program, tag).items():
            there = hooks.setdefault(event, [])
            if not isinstance(there, list):
                raise Unmergeable(f"its `hooks.{event}` is no list")
            there.extend(groups)
    return result


def tags_in(settings: object) -> list[Tag]:
    """Whose hooks of ours stand in the settings, each once."""
    found: dict[Tag, None] = {}
    for _, group in _groups(settings):
        for hook in group["hooks"]:
            if isinstance(hook, dict) and (tag := tag_of(hook.get("command"))) is not None:
                found[tag] = None
    return list(found)


def missing(settings: object, tag: Tag) -> list[str]:
    """The client's events at which our hooks of this session do not stand in the settings, each once."""
    there = {
        (event, found["name"])
        for event, group in _groups(settings)
        for hook in group["hooks"]
        if isinstance(hook, dict)
        and _tag(hook) == tag
        and (found := _TAG.search(hook["command"])) is not None
    }
    lost = [event for event, name in (*_HOOKS, ("Stop", "rewake")) if (event, name) not in there]
    return list(dict.fromkeys(lost))


def without(settings: Settings, gone: Iterable[Tag]) -> Settings:
    """The settings without our hooks of these sessions, and without what only held them."""
    removed = set(gone)
    result = copy.deepcopy(settings)
    hooks = result.get("hooks")
    emptied: set[str] = set()
    for event, group in list(_groups(result)):
        kept = [hook for hook in group["hooks"] if not (isinstance(hook, dict) and _tag(hook) in removed)]
        if len(kept) < len(group["hooks"]):
            group["hooks"][:] = kept
            if not kept:
                result["hooks"][event][:] = [one for one in result["hooks"][event] if one is not group]
                emptied.add(event)
    if isinstance(hooks, dict):
        for event in emptied:
            if not hooks[event]:
                del hooks[event]
        if emptied and not hooks:
            del result["hooks"]
    if not tags_in(result):
        _without_cap(result)
    return result


def _without_cap(settings: Settings) -> None:
    env = settings.get("env")
    if isinstance(env, dict) and env.get(CAP_NAME) == CAP:
        del env[CAP_NAME]
        if not env:
            del settings["env"]


def _tag(hook: dict[str, Any]) -> Tag | None:
    return tag_of(hook.get("command"))


def _groups(settings: object) -> Iterable[tuple[str, dict[str, Any]]]:
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict) and isinstance(group.get("hooks"), list):
                yield event, group
