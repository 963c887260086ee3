"""Reading a whole transcript without a screen: its counts, and what would have been asked, where."""

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.hindsight import SUGGESTIONS, Moment, Seer
from sessions import events as ev
from sessions.clean import Cleaner
from sessions.readers import own
from sessions.readers.formats import Format
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

Progress = Callable[[int], None]
Follower = Callable[[SessionState, ev.AnyEvent], None]
EVERY = 50  # lines between two calls of a progress function


class Lines(Mapping[str, int]):
    """Event id to line of the main file, at 8 bytes an event."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._lines = array("q")

    def append(self, line: int) -> None:
        """The line of the event that the state took in last."""
        self._lines.append(line)

    def __getitem__(self, event: str) -> int:
        index = self._state.event_index(event)
        if index is None:
            raise KeyError(event)
        return self._lines[index]

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[str]:
        return self._state.event_ids()


@dataclass(slots=True)
class Reading:
    """A transcript as read once from end to end. Lines count from 0, as `entry` does everywhere."""

    format: Format
    file: str
    state: SessionState
    entries: int
    unknown: dict[str, int]
    moments: list[Moment]
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def problems(self) -> list[tuple[int, str]]:
        """(line, what) of every damaged line; one of a subagent's file names its file."""
        found = []
        for seen in self.state.problems:
            source, what = seen.event.source, seen.event.what
            if source is not None and source.file != self.file:
                what = f"{source.file}: {what}"
            found.append((seen.event.line, what))
        return found

    def entry(self, moment: Moment) -> int:
        """The line of the event that raised a moment."""
        return self.lines.get(moment.decision.evidence[0].event, max(0, self.entries - 1))


def read_session(
    path: Path,
    bank: Bank,
    limit: int = SUGGESTIONS,
    progress: Progress | None = None,
    follower: Follower | None = None,
    mapping: Path | None = None,
    cleaner: Cleaner | None = None,
) -> Reading:
    """Read `path` and look at it with today's detectors and `bank`.

    `progress` is called with the number of lines read, now and then; `follower` with every event, right after
    the state took it in; without one the state that comes back is packed (`SessionState.pack`), so that a
    transcript of a gigabyte can be read. `mapping` is the file that says how a score log is read. `cleaner`
    takes out of every event, before anything sees it, what must not be shown. Raises what `TranscriptStream`
    raises: `RefusedInput` for a file that is no transcript.
    """
    stream = TranscriptStream(path, mapping=mapping)
    seer = Seer(bank, limit=limit, packs=follower is None)
    account = stream.reader.account
    lines = Lines(seer.state)
    moments: list[Moment] = []
    told = 0
    for read in stream:
        event = cleaner.event(read) if cleaner is not None else read
        moments += seer.see(event)
        lines.append(_line(read, stream))
        if follower is not None:
            follower(seer.state, event)
        if progress is not None and account.entries - told >= EVERY:
            told = account.entries
            progress(told)
    moments += seer.close()
    file = cleaner.text(account.file) if cleaner is not None else account.file
    return Reading(stream.format, file, seer.state, account.entries, dict(account.unknown), moments, lines)


def _line(event: ev.AnyEvent, stream: TranscriptStream) -> int:
    """The line of the main file that an event belongs to: its own, or the one being read when it came."""
    source = event.source
    # A journal's events keep the source they had before; there the line is the journal's own.
    ours = stream.format is own.FORMAT
    if source is not None and source.file == stream.reader.account.file and not ours:
        return source.line
    return max(0, stream.reader.account.entries - 1)
