"""The states that labels speak of, folded from their sessions: each file is read once."""

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bank.evaluation.labels import Gain, LabelledState
from sessions.archive.finding import by_id
from sessions.errors import RefusedInput
from sessions.events import AnyEvent
from sessions.state import SessionState
from sessions.transcript import TranscriptStream
from sessions.vocabulary import Layer


class GainFinder(Protocol):
    """Finds the next real gain after an event. One finder follows one session."""

    def take(self, state: SessionState, event: AnyEvent) -> None:
        """Take in the newest event, right after the state did."""

    def after(self, state: SessionState, index: int) -> tuple[Layer, int] | None:
        """The layer that the first gain after the event at `index` came from, and the index of its
        measurement; `state` is that of the whole session."""


@dataclass(frozen=True, slots=True)
class FoldedState:
    """A label with the state as it was known there, and the next gain where one is known."""

    label: LabelledState
    state: SessionState
    next_gain: Gain | None = None


def fold_states(
    labels: Sequence[LabelledState],
    root: Path,
    gains: Callable[[], GainFinder] | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[list[FoldedState], dict[str, str]]:
    """The states of labels, in their order, and why files could not be read, by their names.

    Files lie below `root`; a rehearsal, and a file that is not there, may be a session's id. `gains` finds
    the next gains that labels do not say. `progress` is called before each file: its number from 1, how many
    there are, its name. A place behind a file's end is a reason not to use that file.
    """
    names = tuple(dict.fromkeys(label.file for label in labels))
    folded: dict[str, FoldedState] = {}
    refused: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        if progress is not None:
            progress(number, len(names), name)
        own = [label for label in labels if label.file == name]
        try:
            found = _fold(_path(own[0], root), own, gains() if gains is not None else None)
        except RefusedInput as error:
            refused[name] = str(error)
            continue
        folded |= {one.label.id: one for one in found}
    return [folded[label.id] for label in labels if label.id in folded], refused


_LONGEST_FILE = 1_000


def _path(label: LabelledState, root: Path) -> Path:
    if len(label.file) > _LONGEST_FILE or "\0" in label.file:  # no system has such a path
        raise RefusedInput(f"{label.id} names a file of {len(label.file)} letters, and no path is that.")
    path = root / label.file
    if label.rehearsed or not os.path.lexists(path):  # unlike the path's own method it never raises
        found = by_id(label.file)
        if found is not None:
            return found
    return path


def _fold(path: Path, labels: Sequence[LabelledState], gains: GainFinder | None) -> list[FoldedState]:
    stream = TranscriptStream(path)
    state = SessionState()
    entries: list[int] = []  # of each event, the line that was read last when it came
    for event in stream:
        state.apply(event)
        # Lines of the main file as they are read: events of a journal carry their driver's places.
        entries.append(max(stream.accounts[0].entries - 1, entries[-1] if entries else -1))
        if gains is not None:
            gains.take(state, event)
    total = stream.accounts[0].entries
    found = []
    for label in labels:
        if label.place >= total:
            raise RefusedInput(
                f"{path} has {total} entries, and {label.id} names entry {label.place}, counted from 0."
            )
        index = bisect_right(entries, label.place) - 1
        found.append(FoldedState(label, _before(state, index), _gain(label, state, index, entries, gains)))
    return found


def _before(state: SessionState, index: int) -> SessionState:
    return state.as_of(index) if index >= 0 else SessionState()


def _gain(
    label: LabelledState, state: SessionState, index: int, entries: Sequence[int], gains: GainFinder | None
) -> Gain | None:
    if label.next_gain is not None or label.no_gain or gains is None:
        return label.next_gain
    found = gains.after(state, index)
    return None if found is None else Gain(found[0], entries[found[1]], derived=True)
