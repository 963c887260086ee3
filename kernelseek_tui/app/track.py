"""The timeline: a whole session in one row of cells, what is not known yet as dots."""

from collections.abc import Iterable, Sequence

from kernelseek_tui.app import figures
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.verdicts import asks_the_judge, verdict_code
from sessions import events as ev

# What an entry is to the timeline; of several in one cell the highest is shown. Flags are the moments'
# (`flag`), one each: a recorded decision point and what was suggested for it are one moment.
QUIET, TEXT, TOOL, FAILED, EDIT, HUMAN, SCORE, WRONG, BETTER, FLAG = range(10)


class Track:
    """One mark an event, as they come."""

    def __init__(self) -> None:
        self.marks = bytearray()
        self.best: float | None = None
        self._flags: set[int] = set()
        self._verdicts: set[str] = set()

    def take(self, event: ev.AnyEvent) -> None:
        """Take in the next event."""
        mark = QUIET
        match event:
            case ev.AgentText() | ev.Thinking():
                mark = TEXT
            case ev.ToolCall() | ev.Subagent():
                mark = TOOL
                if isinstance(event, ev.ToolCall) and asks_the_judge(event):
                    self._verdicts.add(event.call)
            case ev.ToolResult():
                judged = event.call in self._verdicts and verdict_code(event) is not None
                mark = FAILED if event.is_error and not judged else QUIET
            case ev.Edit():
                mark = EDIT
            case ev.HumanMessage() | ev.QuestionAsked():
                mark = HUMAN
            case ev.Evaluation():
                if figures.bad_status(event.status):
                    mark = WRONG
                elif event.geomean is not None and (self.best is None or event.geomean > self.best):
                    mark, self.best = BETTER, event.geomean
                else:
                    mark = SCORE
        self.marks.append(mark)

    def flag(self, entries: Iterable[int]) -> None:
        """Where moments were seen, in place of those of the last call."""
        self._flags = set(entries)

    def cell(self, index: int, width: int) -> int:
        """The column of an event."""
        count = len(self.marks)
        return min(width - 1, index * width // count) if count else 0

    def event_at(self, column: int, width: int) -> int:
        """The first event of a column, or the newest before it where none begins there."""
        count = len(self.marks)
        if not count:
            return 0
        entry = max(0, min(count - 1, -(-column * count // width)))
        return entry if self.cell(entry, width) <= column else max(0, entry - 1)

    def row(self, width: int, known: int, cursor: int, glyphs: Glyphs) -> Line:
        """The cells; events from `known` on are dots, the cursor's cell stands out."""
        count = len(self.marks)
        if not count or width < 1:
            return ((glyphs.dot * max(0, width), "faint"),)
        looks = _looks(glyphs)
        flagged = {self.cell(entry, width) for entry in self._flags if entry < known}
        here = self.cell(cursor, width)
        spans: list[tuple[str, str]] = []
        for column in range(width):
            start = -(-column * count // width)
            stop = min(-(-(column + 1) * count // width), known)
            if start >= known and known < count:
                sign, role = glyphs.dot, "faint"
            elif start >= stop:
                # Fewer events than cells: nothing begins in this one.
                sign, role = glyphs.levels[1], "faint"
            else:
                mark = FLAG if column in flagged else max(self.marks[start:stop])
                sign, role = looks[mark]
            if column == here:
                sign, role = (glyphs.cursor if sign in (glyphs.levels[1], glyphs.dot) else sign), "chosen"
            if spans and spans[-1][1] == role:
                spans[-1] = (spans[-1][0] + sign, role)
            else:
                spans.append((sign, role))
        return tuple(spans)


def _looks(glyphs: Glyphs) -> Sequence[tuple[str, str]]:
    low, middle, high = glyphs.levels[1], glyphs.levels[3], glyphs.levels[5]
    return (
        (low, "faint"),
        (low, "muted"),
        (middle, "tool"),
        (middle, "bad"),
        (high, "code"),
        (glyphs.human, "human"),
        (glyphs.even, "accent"),
        (glyphs.bad, "bad"),
        (glyphs.up, "good"),
        (glyphs.flag, "flag"),
    )
