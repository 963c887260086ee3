"""What a list of sessions says about each: read from its journal alone, the damaged ones among them."""

import math
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sessions import events as ev
from sessions.archive.exporting import Progress
from sessions.archive.finding import BUNDLED, all_bundled, own_sessions, owner_of, why_not
from sessions.archive.importing import origin_of
from sessions.errors import RefusedInput
from sessions.home import JOURNAL
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

Where = Literal["here", "imported", "bundled"]

# The rest of a journal says nothing that a list shows, and need not be kept in memory.
_LISTED = (
    ev.SessionStarted,
    ev.SessionEnded,
    ev.Evaluation,
    ev.GoalVerdict,
    ev.Note,
    ev.QuestionAsked,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One session of a list. `wrong` is one sentence on what is damaged, empty where nothing is.

    `when` is its first event with a time, else when it was last written; `written` the latter; `owner` the
    process that has it now; `goal` None where nothing was said of one. `geomean` is of the best evaluation of
    the comparable ones, over `baseline`. `notes` counts remarks that people made. `size` is in bytes, of all
    its files.
    """

    id: str
    where: Where
    path: Path
    when: datetime | None = None
    written: datetime | None = None
    agent: str | None = None
    questioner: str | None = None
    operator: str | None = None
    workspace: str | None = None
    rehearsed: bool = False
    events: int = 0
    questions: int = 0
    evaluations: int = 0
    geomean: float | None = None
    baseline: str | None = None
    goal: bool | None = None
    ended: bool = False
    exit_code: int | None = None
    notes: int = 0
    owner: int | None = None
    size: int = 0
    wrong: str = ""

    def as_object(self) -> dict[str, Any]:
        """The row as JSON: times as ISO 8601."""
        found = asdict(self)
        found["path"] = str(self.path)
        for name in ("when", "written"):
            found[name] = found[name].isoformat() if found[name] else None
        return found


def all_rows(*, archive_only: bool = False, progress: Progress | None = None) -> list[Row]:
    """Every session, the newest `when` first, the undated and then the bundled ones behind those kept here.

    `progress` is called with the bytes of the journals read so far.
    """
    rows: list[Row] = []
    done = 0
    for folder in [] if archive_only else reversed(own_sessions()):
        rows.append(own_row(folder))
        done += rows[-1].size
        if progress is not None:
            progress(done)
    rows.sort(key=_shown, reverse=True)  # those of one time stay with the newest id first
    return [*rows, *bundled_rows()]


def _shown(row: Row) -> float:
    """The time that a list shows for a session, as a number; one without a time is older than any."""
    try:
        return row.when.timestamp() if row.when is not None else -math.inf
    except (OverflowError, ValueError):  # a time without a zone, before there were any
        return -math.inf


def own_row(folder: Path) -> Row:
    """The row of a folder in the sessions folder, whatever is in it. Never raises for what that is."""
    wrong = why_not(folder)
    if wrong:
        return Row(folder.name, "here", folder, wrong=wrong)
    row = read_row(folder.name, "imported" if origin_of(folder) is not None else "here", folder / JOURNAL)
    return replace(row, owner=owner_of(folder), size=size_of(folder))


def bundled_rows() -> list[Row]:
    """The rows of the bundled sessions."""
    rows = []
    for manifest in all_bundled():
        path = BUNDLED / manifest.file
        try:
            manifest.check(BUNDLED)
        except RefusedInput as error:
            rows.append(Row(manifest.id, "bundled", path, wrong=str(error)))
            continue
        rows.append(replace(read_row(manifest.id, "bundled", path), size=manifest.bytes))
    return rows


def read_row(session: str, where: Where, path: Path) -> Row:
    """The row of the journal or transcript at `path`."""
    state = SessionState()
    first: datetime | None = None
    count = 0
    damaged: list[ev.ReaderProblem] = []
    row = Row(session, where, path)
    try:
        row = replace(row, written=datetime.fromtimestamp(path.stat().st_mtime, UTC))
        for event in TranscriptStream(path):
            count += 1
            first = first or event.time
            # One that was written at the time says what an owner mended then.
            if isinstance(event, ev.ReaderProblem) and event.id.startswith("damaged-"):
                damaged.append(event)
            if isinstance(event, _LISTED):
                state.apply(event)
    except RefusedInput as error:
        return replace(row, events=count, wrong=str(error))
    except OSError as error:
        return replace(row, events=count, wrong=f"{path} cannot be read: {error.strerror or error}.")
    return _filled(replace(row, when=first or row.written, events=count), state, damaged)


def size_of(folder: Path) -> int:
    """The bytes of the files in a session's folder; links are not followed."""
    total = 0
    for path in folder.iterdir():
        if not path.is_symlink() and path.is_file():
            total += path.stat().st_size
    return total


def _filled(row: Row, state: SessionState, damaged: list[ev.ReaderProblem]) -> Row:
    started, best = state.started, state.best
    lines = f"{len(damaged)} lines are" if len(damaged) > 1 else "1 line is"
    wrong = f"{lines} damaged, the first line {damaged[0].line}: {damaged[0].what}" if damaged else ""
    if started is not None:
        row = replace(
            row,
            agent=started.agent_name,
            questioner=started.questioner,
            operator=started.operator,
            workspace=started.workspace or started.cwd,
            rehearsed=started.rehearsed,
        )
    return replace(
        row,
        questions=len(state.asked),
        evaluations=len(state.evaluations),
        geomean=best.event.geomean if best else None,
        baseline=best.event.baseline if best else None,
        goal=state.goal.met if state.goal else None,
        ended=state.ended is not None,
        exit_code=state.ended.exit_code if state.ended else None,
        notes=sum(seen.event.author == "human" for seen in state.notes),
        wrong=wrong,
    )
