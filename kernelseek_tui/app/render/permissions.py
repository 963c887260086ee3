"""How a client's permission requests and their answers look."""

from kernelseek_tui.app.lines import Line, clip, line
from kernelseek_tui.app.render.registry import Scene, block, lead, renders
from kernelseek_tui.app.render.tools import summary
from kernelseek_tui.plain import one_line
from sessions import events as ev


@renders("permission_requested")
def requested(event: ev.PermissionRequested, scene: Scene) -> list[Line]:
    """What the agent wants to do."""
    what = (f"{one_line(event.tool, 40)}  ", "tool"), (summary(event), "text")
    head = (f"{scene.glyphs.question} ", "warn"), ("may it use ", "warn")
    return [clip(line(*head, *what), scene.width)]


@renders("permission_answered")
def answered(event: ev.PermissionAnswered, scene: Scene) -> list[Line]:
    """What was answered, by whom, with the words that the agent reads."""
    role = "bad" if event.answer == "deny" else "good"
    words = f"{event.answer} ({one_line(event.by, 30)})" + (f": {event.message}" if event.message else "")
    return block(words, role, scene, lead(scene.glyphs.branch, "faint"), 6)
