"""The top row: what is shown, how it stands, and whether it is a rehearsal."""

from dataclasses import dataclass, field

from rich.cells import cell_len

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span, clip, line, width_of
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts of the top row.

    `badge` is WORKING, ASKS YOU, PAUSED, ENDED, REPLAY ×16 …; `facts` go from most to least wanted.
    """

    title: str = ""
    badge: str = ""
    badge_role: str = "good"
    rehearsed: bool = False
    following: bool = False
    facts: tuple[Span, ...] = field(default=())


class SessionHeader(Panel):
    """Badge, title, REHEARSED, facts, FOLLOW."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(SessionHeader.glyphs, glyphs)
        self.standing = Standing()

    def show(self, standing: Standing) -> None:
        """Draw these facts."""
        if standing != self.standing:
            self.standing = standing
            self.redraw()

    def rows(self, width: int) -> list[Line]:
        """One row; on a narrow screen the last facts give way first, REHEARSED and the first fact never."""
        now = self.standing
        tags: list[Span] = [(f" {now.badge} ", now.badge_role)]
        if now.rehearsed:
            tags += [(" ", "text"), (" REHEARSED ", "tag")]
        left = line((" ", "text"), *tags, (f"  {one_line(now.title, 200)}", "strong"))
        follow: list[Span] = [("  FOLLOW", "good")] if now.following else []
        title = min(14, cell_len(one_line(now.title, 200)) + 2)
        room = width - width_of(tags) - title - 3
        facts: list[Span] = []
        for place, (text, role) in enumerate(now.facts):
            more = [((f" {self.glyphs.dot} " if facts else ""), "faint"), (text, role)]
            if place and width_of(facts) + width_of(more) + width_of(follow) > room:
                break
            facts += more
        if width_of(facts) + width_of(follow) > room:
            follow = []
        right = line(*facts, *follow, (" ", "text"))
        left = clip(left, max(1, width - width_of(right) - 1), self.glyphs.more)
        space = max(0, width - width_of(left) - width_of(right))
        return [clip((*left, (" " * space, "text"), *right), width, "")]
