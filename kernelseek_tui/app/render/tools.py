"""Tool calls on one row, results cut to their first rows, edits as coloured diffs."""

import json
from typing import Any

from kernelseek_tui.app import figures
from kernelseek_tui.app.lines import Line, clip, line, spread, wrap
from kernelseek_tui.app.render.registry import Scene, block, cut, lead, renders
from kernelseek_tui.app.verdicts import WORDS, asks_the_judge, verdict_code
from kernelseek_tui.plain import one_line, plain_lines, visible
from sessions import events as ev

RESULT_ROWS = 6
DIFF_ROWS = 12

# The part of a tool's input that says what the call is about, the first that is there.
_TELLING = ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "description")


def summary(call: ev.ToolCall | ev.PermissionRequested, limit: int = 400) -> str:
    """What the call does, on one line."""
    for name in _TELLING:
        value = call.input.get(name)
        if isinstance(value, str) and value.strip():
            return one_line(value, limit)
        if isinstance(value, list) and value:
            return one_line(" ".join(str(item) for item in value), limit)
    return one_line(json.dumps(call.input, ensure_ascii=False, default=str), limit) if call.input else ""


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


@renders("tool_call")
def tool_call(event: ev.ToolCall, scene: Scene) -> list[Line]:
    """Name and gist; expanded, every input."""
    head = line(
        (f"{scene.glyphs.tool} ", "tool"),
        (one_line(event.tool, 60), "tool"),
        (f"  {summary(event)}", "text"),
    )
    rows = [clip(head, scene.width, scene.glyphs.more)]
    if scene.expanded:
        for name, value in event.input.items():
            rows.append(line((f"    {one_line(str(name), 60)}:", "faint")))
            rows += block(_value(value), "code", scene, (("      ", "text"),), 1)
    return rows


@renders("tool_result")
def tool_result(event: ev.ToolResult, scene: Scene) -> list[Line]:
    """A sign, how long it took, and the first rows of what came back."""
    glyphs = scene.glyphs
    code = verdict_code(event) if scene.call is not None and asks_the_judge(scene.call) else None
    failed = event.is_error and code is None
    sign, role = (glyphs.bad, "bad") if failed else (glyphs.ok, "good")
    if code is not None:
        sign, role = glyphs.even, "warn"
    took = ""
    if scene.began and event.time:
        took = figures.duration((event.time - scene.began).total_seconds())
    lead_line: Line = line((f"  {glyphs.branch} ", "faint"), (f"{sign} ", role))
    label = WORDS[code] if code is not None else "failed" if failed else ""
    if not scene.near and scene.call is not None:
        label = f"{label} {one_line(scene.call.tool, 40)} {summary(scene.call, 60)}".strip()
    elif scene.call is None:
        label = f"{label} result of a call that is not in this session".strip()
    output = event.output.strip("\n")
    if code is not None:
        output = output.partition("\n")[2].strip("\n")  # the code is in the label, in words
    if not output.strip():
        return [spread(line(*lead_line, (label or "no output", "faint")), line((took, "faint")), scene.width)]
    if label or took:
        heads = [spread(line(*lead_line, (label, "muted")), line((took, "faint")), scene.width)]
        if not label and not failed:
            # The time alone does not deserve a row: it stands at the end of the first row of output.
            body = block(output, "muted", scene, ((" " * 6, "text"),), RESULT_ROWS)
            first = line(*lead_line, *_without_indent(body[0]))
            return [spread(first, line((took, "faint")), scene.width), *body[1:]]
        return [*heads, *block(output, "muted", scene, ((" " * 6, "text"),), RESULT_ROWS)]
    return block(output, "muted", scene, lead_line, RESULT_ROWS)


def _without_indent(row: Line) -> Line:
    (text, role), *rest = row
    return line((text[6:], role), *rest)


@renders("edit")
def edit(event: ev.Edit, scene: Scene) -> list[Line]:
    """The path with how much was added and removed, then the diff."""
    glyphs = scene.glyphs
    source = [item for item in plain_lines(event.diff.strip("\n")) if not item.startswith(("---", "+++"))]
    added = sum(item.startswith("+") for item in source)
    removed = sum(item.startswith("-") for item in source)
    head = line(
        (f"{glyphs.edit} ", "tool"),
        (visible(one_line(event.path, 300)), "strong"),
        ("  candidate" if event.candidate else "", "accent"),
        (f"  +{added}" if event.diff else "", "add"),
        (f" {glyphs.minus}{removed}" if event.diff else "", "remove"),
    )
    rows: list[Line] = []
    shown = source if scene.expanded else source[: DIFF_ROWS + 2]
    for item in shown if event.diff else []:
        role = "muted"
        if item.startswith("+"):
            role = "add"
        elif item.startswith("-"):
            role = "remove"
        elif item.startswith("@@"):
            role = "faint"
        text = item if scene.expanded else item[: 4 * scene.width]
        rows += wrap(((" " * 4, "text"), (text, role)), scene.width, ((" " * 5, "text"),))
    hidden = len(source) - len(shown) if event.diff else 0
    return [clip(head, scene.width), *cut(rows, scene, DIFF_ROWS, "    ", hidden)]


@renders("subagent")
def subagent(event: ev.Subagent, scene: Scene) -> list[Line]:
    """Where a subagent starts and ends."""
    text = one_line(event.description) or one_line(event.subagent, 40)
    return [
        clip(
            line(*lead(scene.glyphs.tool, "tool"), (f"subagent {event.phase}  ", "tool"), (text, "muted")),
            scene.width,
        )
    ]
