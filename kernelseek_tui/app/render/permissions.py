"""How a client's permission requests and their answers look."""

import json

from kernelseek_tui.app.lines import Line, clip, line
from kernelseek_tui.app.render.registry import Scene, block, lead, renders
from kernelseek_tui.plain import one_line
from sessions import events as ev

LONG = 200
"""Rows of one input; a whole file to be written is cut there until it is expanded."""


@renders("permission_requested")
def requested(event: ev.PermissionRequested, scene: Scene) -> list[Line]:
    """What the agent wants to do, with all its input: nobody should allow what they cannot read."""
    head = line(
        (f"{scene.glyphs.question} ", "warn"), ("may it use ", "warn"), (one_line(event.tool, 60), "tool")
    )
    rows = [clip(head, scene.width)]
    for name, value in event.input.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        rows += block(text, "code", scene, line((f"    {one_line(str(name), 40)}: ", "faint")), LONG)
    if event.always:
        rows += block(event.always, "text", scene, line(("    always grants: ", "faint")), 6)
    return rows


@renders("permission_answered")
def answered(event: ev.PermissionAnswered, scene: Scene) -> list[Line]:
    """What was answered, by whom, with the words that the agent reads."""
    role = "bad" if event.answer == "deny" else "good"
    words = f"{event.answer} ({one_line(event.by, 30)})" + (f": {event.message}" if event.message else "")
    return block(words, role, scene, lead(scene.glyphs.branch, "faint"), 6)
