"""What people and the agent said."""

from kernelseek_tui.app.lines import Line, clip, line
from kernelseek_tui.app.render.markdown import markdown
from kernelseek_tui.app.render.registry import Scene, block, lead, renders
from kernelseek_tui.plain import one_line
from sessions import events as ev

HUMAN_ROWS = 24
AGENT_ROWS = 80
LONGEST = 12_000
"""Characters of unfinished text that are laid out at each growth: more than a screen holds."""


@renders("human_message")
def human(event: ev.HumanMessage, scene: Scene) -> list[Line]:
    """A bar, the word YOU, and the text."""
    heading = line(
        (f"{scene.glyphs.bar} ", "human"),
        ("HUMAN", "human"),
        ("  while the agent was working" if event.mid_turn else "", "faint"),
    )
    body = block(event.text, "strong", scene, lead(scene.glyphs.bar, "human"), HUMAN_ROWS)
    return [heading, *body]


@renders("agent_text")
def agent(event: ev.AgentText, scene: Scene) -> list[Line]:
    """Light Markdown; a subagent's words stand under its name."""
    if not event.text.strip():
        return []
    rows = markdown(event.text, scene, lead(" ", "text"), AGENT_ROWS)
    if event.agent:
        return [line((f"  subagent {one_line(event.agent, 40)}", "faint")), *rows]
    return rows


def unfinished(text: str, scene: Scene) -> list[Line]:
    """What the agent has written so far, its end always shown; it is no event yet."""
    head = line((f"{scene.glyphs.edit} ", "accent"), (f"writing{scene.glyphs.more}", "faint"))
    whole = Scene(scene.width, scene.glyphs, expanded=True)
    rows = [clip(row, scene.width) for row in markdown(text[-LONGEST:], whole, lead(" ", "text"), 0)]
    return [head, *rows]


@renders("thinking")
def thinking(event: ev.Thinking, scene: Scene) -> list[Line]:
    """One faint row; Space shows all of it."""
    if not event.text.strip():
        return [line((f"{scene.glyphs.thought} thinking, not shown by the agent", "faint"))]
    if scene.expanded:
        return block(event.text, "muted", scene, lead(scene.glyphs.thought, "faint"), 1)
    rows = event.text.count("\n") + 1
    note = f" +{rows - 1} rows" if rows > 1 else ""
    room = scene.width - len(note)
    first = clip(line((f"{scene.glyphs.thought} ", "faint"), (one_line(event.text), "muted")), room)
    return [(*first, (note, "faint"))] if note else [first]


@renders("claim")
def claim(event: ev.Claim, scene: Scene) -> list[Line]:
    """What the agent says of itself: a limit, or that it is done."""
    word = "claims a limit" if event.claim == "limit" else "claims completion"
    glyphs = scene.glyphs
    return [
        clip(
            line(
                (f"  {glyphs.branch} ", "faint"),
                (word, "warn"),
                (f"  {glyphs.quote_open}{one_line(event.quote)}{glyphs.quote_close}", "muted"),
            ),
            scene.width,
        )
    ]
