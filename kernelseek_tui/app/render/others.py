"""Start and end of a session, notes, problems, and kinds this version does not know."""

from kernelseek_tui.app.lines import Line, clip, line
from kernelseek_tui.app.render.registry import Scene, block, lead, renders
from kernelseek_tui.plain import one_line
from sessions import events as ev


@renders("session_started")
def started(event: ev.SessionStarted, scene: Scene) -> list[Line]:
    """Who works where, and on what."""
    dot = f" {scene.glyphs.dot} "
    facts = [event.agent_name, event.model or "", event.operator or "", event.cwd or ""]
    head = line(
        (f"{scene.glyphs.rule * 2} ", "faint"),
        ("session  ", "strong"),
        (dot.join(one_line(item, 80) for item in facts if item), "muted"),
        ("  REHEARSED" if event.rehearsed else "", "warn"),
    )
    rows = [clip(head, scene.width)]
    if event.task:
        rows += block(event.task, "text", scene, (("   ", "text"),), 8)
    return rows


@renders("session_ended")
def ended(event: ev.SessionEnded, scene: Scene) -> list[Line]:
    """Why it ended."""
    return block(event.reason, "muted", scene, ((f"{scene.glyphs.rule * 2} ended  ", "faint"),), 6)


@renders("turn_ended")
def turn_ended(event: ev.TurnEnded, scene: Scene) -> list[Line]:
    """Nothing for a turn that ran to its end; a row for one that was stopped."""
    if event.reason == "completed":
        return []
    role = "warn" if event.reason == "interrupted" else "bad"
    return block(
        event.detail or " ", "muted", scene, ((f"{scene.glyphs.rule * 2} turn {event.reason}  ", role),), 4
    )


@renders("note")
def note(event: ev.Note, scene: Scene) -> list[Line]:
    """A remark, with who made it."""
    author = "" if event.author == "kernelseek" else f"{one_line(event.author, 30)}: "
    return block(author + event.text, "muted", scene, lead(scene.glyphs.dot, "faint"), 6)


@renders("reader_problem")
def problem(event: ev.ReaderProblem, scene: Scene) -> list[Line]:
    """A line that could not be read; it cost only itself."""
    where = f"line {event.line} could not be read: "
    return block(event.what, "muted", scene, ((f"{scene.glyphs.bad} ", "warn"), (where, "warn")), 4)


@renders("usage")
def usage(event: ev.Usage, scene: Scene) -> list[Line]:
    """Counted on the scoreboard, not shown."""
    return []


@renders("unknown")
def unknown(event: ev.AnyEvent, scene: Scene) -> list[Line]:
    """A kind that is kept whole and named here."""
    return [
        clip(
            line((f"? {one_line(event.kind, 60)}  kept, not understood by this version", "faint")),
            scene.width,
        )
    ]
