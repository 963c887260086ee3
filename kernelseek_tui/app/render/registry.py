"""Event kinds to plain styled rows: one function a kind, found by the event's `kind`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from kernelseek_tui.app.glyphs import UNICODE, Glyphs
from kernelseek_tui.app.lines import Line, clip, line, width_of, wrap_text
from kernelseek_tui.plain import plain_lines
from sessions import events as ev


@dataclass(frozen=True, slots=True)
class Scene:
    """What a renderer may know besides its event; nothing in it is later than the event.

    `width` is in cells. `call` is the tool call that a result answers, `near` says that it stands right
    above. `began` is the time of that call.
    """

    width: int
    glyphs: Glyphs = field(default=UNICODE)
    expanded: bool = False
    call: ev.ToolCall | None = None
    near: bool = True
    began: datetime | None = None


Renderer = Callable[[Any, Scene], list[Line]]
_RENDERERS: dict[str, Renderer] = {}
R = TypeVar("R", bound=Renderer)


def renders(*kinds: str) -> Callable[[R], R]:
    """Register the function for these event kinds."""

    def keep(function: R) -> R:
        for kind in kinds:
            _RENDERERS[kind] = function
        return function

    return keep


def draw(event: ev.AnyEvent, scene: Scene) -> list[Line]:
    """The rows of an event; none for kinds that only count (usage)."""
    renderer = _RENDERERS.get(event.kind)
    if renderer is None or isinstance(event, ev.UnknownEvent):
        renderer = _RENDERERS["unknown"]
    return [clip(row, scene.width, scene.glyphs.more) for row in renderer(event, scene)]


def lead(sign: str, role: str) -> Line:
    """The two cells before an entry's first row."""
    return ((f"{sign} ", role),)


def cut(rows: Sequence[Line], scene: Scene, limit: int, indent: str = "  ", hidden: int = 0) -> list[Line]:
    """`rows` down to `limit` with a row that says how many more there are, unless expanded.

    `hidden` counts source rows that were not even laid out. One row more is shown rather than counted.
    """
    if scene.expanded or (len(rows) <= limit + 1 and not hidden):
        return list(rows)
    rest = len(rows) - limit + hidden
    more = line((f"{indent}{scene.glyphs.more} +{rest} rows ", "faint"), ("Space", "key"))
    return [*rows[:limit], more]


def block(text: str, role: str, scene: Scene, first: Line, limit: int) -> list[Line]:
    """Plain text under a lead, cut to `limit` rows unless expanded; lays out no more than it shows."""
    source = plain_lines(text.rstrip("\n"))
    keep = source if scene.expanded else source[: limit + 2]
    # One endless source line would be wrapped whole: as much as can be seen is enough.
    most = 1 << 30 if scene.expanded else (limit + 2) * scene.width
    indent = ((" " * width_of(first), "text"),) if first else ()
    rows: list[Line] = []
    for index, item in enumerate(keep):
        rows += wrap_text(item[:most], role, scene.width, first if index == 0 else indent, indent)
        if not scene.expanded and len(rows) > limit + 1:
            keep = keep[: index + 1]
            break
    return cut(rows, scene, limit, " " * width_of(first), hidden=len(source) - len(keep))
