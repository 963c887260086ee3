"""What was tried to disprove a limit: the answer of `contracts.disproof.disproof_after` for many claims.

That one looks through the whole session for each claim. Here a measurement is looked at once, as it comes.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from kernelseek_tui.contracts.disproof import ATTEMPTS, UNTRIED, Attempt, Disproof, attempt_of, disproof
from kernelseek_tui.contracts.numbers import has_number, telling
from kernelseek_tui.review.told import Numbers
from sessions import events as ev
from sessions.layers import command_text
from sessions.seen import Seen, ToolRun
from sessions.state import SessionState
from sessions.vocabulary import Layer


@dataclass(frozen=True, slots=True)
class _Try:
    """A measurement; `before`: it counts against claims that were made before this event."""

    index: int
    run: ToolRun
    shows: Attempt
    before: int


class Tries:
    """Follows a session: `take` every event right after the state took it in, `after` at any time."""

    def __init__(self, told: Numbers) -> None:
        self._told = told
        self._commands: dict[str, int] = {}
        self._layers: dict[Layer, int] = {}
        self._tries: list[_Try] = []
        self._on_record: dict[tuple[int, int], Seen[ev.AgentText]] = {}

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        if isinstance(event, ev.ToolCall):
            run = state.tools[-1]
            command = command_text(run.call.tool, run.call.input)
            if command is not None:
                self._commands.setdefault(command, run.index)
            for layer in run.layers:
                self._layers.setdefault(layer, run.index)
            if run.result is not None:  # the result stood before its call
                self._answered(run)
        elif isinstance(event, ev.ToolResult):
            found = state.run_of(event.call)
            if found is not None and found.result is event:
                self._answered(found)

    def _answered(self, run: ToolRun) -> None:
        shows = attempt_of(run)
        if shows is None or run.result is None or not has_number(run.result.output):
            return
        newest = math.inf if shows.bound else max(self._layers[layer] for layer in shows.layers)
        one = _Try(run.index, run, shows, int(min(newest, self._commands[shows.command])))
        self._tries.insert(bisect_right(self._tries, run.index, key=_index), one)  # nearly always at the end

    def after(self, index: int, count: int) -> Disproof:
        """What was tried against a claim made at the event `index`, as it is known after `count` events."""
        first: tuple[ToolRun, Layer | None] | None = None
        attempts = 0
        for at in range(bisect_right(self._tries, index, key=_index), len(self._tries)):
            one = self._tries[at]
            if one.index >= count or attempts == ATTEMPTS:
                break
            if one.before <= index or (one.run.result_index or 0) >= count:
                continue
            attempts += 1
            new = next((layer for layer in one.shows.layers if self._layers[layer] > index), None)
            told = self._record(one.run, max(index, one.run.result_index or 0))
            if told is not None and told.index < count:
                return disproof(one.run, new, told)
            first = first or (one.run, new)
        return disproof(*first, None) if first is not None else UNTRIED

    def _record(self, run: ToolRun, after: int) -> Seen[ev.AgentText] | None:
        """The first message behind the event `after` that gives a number of the result."""
        key = (run.index, after)
        if key not in self._on_record and run.result is not None:
            found = self._told.first(telling(run.result.output), after)
            if found is None:
                return None
            self._on_record[key] = found
        return self._on_record.get(key)


def _index(item: Any) -> int:
    index: int = item.index
    return index
