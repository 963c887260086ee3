"""A limit stands only after a disproof was tried and recorded: every claimed limit, and what became of it.

Tried: after the claim, a measurement with a result that had not been made before, of a bound or in a layer
that no tool call had touched. A benchmark that prints a bound beside every time does not look for one.
Recorded: the main agent then gives a number of that result in its own words.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Protocol, TypeVar

from kernelseek_tui.contracts.numbers import gives_one_of, has_number, telling
from kernelseek_tui.decisions.claims import claims_of, mask, sentences
from kernelseek_tui.decisions.standing import speaks_of_bound
from sessions import events as ev
from sessions.layers import command_text
from sessions.seen import Seen, ToolRun
from sessions.state import SessionState, all_correct
from sessions.vocabulary import Activity, Layer


class Standing(StrEnum):
    """What became of a claimed limit."""

    STANDS = "stands"
    OPEN = "open"
    WITHDRAWN = "withdrawn"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class ClaimedLimit:
    """A limit the main agent claimed, from its first saying on.

    `index` and `event` are the first message that claims it, `said` counts its sayings with no change of the
    kernel between them. `reason` is one sentence, `evidence` the claim and what decided.
    """

    index: int
    event: str
    said: int
    standing: Standing
    reason: str
    evidence: tuple[ev.Evidence, ...]


@dataclass(frozen=True, slots=True)
class Disproof:
    """What was tried against a claim, if anything: the first measurement that counts, and where it is told.

    `reason` is one sentence; `tried` is the command, `told` the message that gives a number of its result.
    """

    reason: str
    tried: ev.Evidence | None = None
    told: ev.Evidence | None = None


@dataclass(slots=True)
class _Claim:
    index: int
    event: str
    quote: str
    said: int = 1


ATTEMPTS = 20
"""Attempts after a claim that are looked at for a number on record."""

_MEASURES = frozenset(
    {
        Activity.PROFILE,
        Activity.DISASSEMBLE,
        Activity.HOST_TRACE,
        Activity.BENCHMARK_RUN,
        Activity.OTHER,  # a program of the agent's own
    }
)
_LIMIT = r"(?:claim|limit|ceiling|floor|conclusion|statement)"
_TAKES_BACK = re.compile(
    rf"\b(?:withdraw|retract|take back)\b[^.?!]*\b{_LIMIT}\b|"
    rf"\b{_LIMIT}\b[^.?!]{{0,60}}\b(?:was|is) (?:wrong|false|premature|mistaken|ours|our own|not real)\b|"
    rf"\b(?:was|is) not (?:really )?(?:a|the|at (?:a|the)) (?:\w+ ){{0,2}}{_LIMIT}\b|"
    r"\bi was wrong\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _TakenBack:
    index: int
    event: str
    quote: str


class Commands:
    """When each command of a session was called first: `first`, by its text. Looks at each result once."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self._attempts: dict[int, Attempt | None] = {}
        self._runs = 0

    def take(self, state: SessionState) -> None:
        """Look through the calls that are new."""
        for run in state.tools[self._runs :]:
            command = command_text(run.call.tool, run.call.input)
            if command is not None:
                self.first.setdefault(command, run.index)
        self._runs = max(self._runs, len(state.tools))

    def attempt(self, run: ToolRun) -> "Attempt | None":
        """What a call with its result can show of a limit, where there is a number in it; else None."""
        if run.result_index is None:
            return None
        if run.index not in self._attempts:
            found = attempt_of(run)
            numbered = found is not None and run.result is not None and has_number(run.result.output)
            self._attempts[run.index] = found if numbered else None
        return self._attempts[run.index]


class Limits:
    """The limits of a session, followed event by event: call `take` after the state took an event in.

    Or once at the end: `claimed_limits`.
    """

    def __init__(self) -> None:
        self._claims: list[_Claim] = []
        self._taken_back: list[_TakenBack] = []
        self._texts = 0
        self._commands = Commands()

    def take(self, state: SessionState) -> None:
        """Look through the texts that are new."""
        for text in state.texts[self._texts :]:
            if text.event.agent is not None:
                continue
            if taken_back := withdrawal(text.event.text):
                self._taken_back.append(_TakenBack(text.index, text.event.id, taken_back))
            quote = next((claim.quote for claim in claims_of(text.event.text) if claim.kind == "limit"), None)
            if quote is None:
                continue
            last = self._claims[-1] if self._claims else None
            if last is not None and _last_kernel_edit(state, text.index) < last.index:
                last.said += 1  # the same limit, said again
            else:
                self._claims.append(_Claim(text.index, text.event.id, quote))
        self._texts = len(state.texts)

    def standing(self, state: SessionState, since: int = 0) -> list[ClaimedLimit]:
        """What became of the limits first claimed at event `since` or later, as the state stands."""
        return [self._judge(claim, state) for claim in self._claims if claim.index >= since]

    def _judge(self, claim: _Claim, state: SessionState) -> ClaimedLimit:
        said = ev.Evidence(event=claim.event, quote=claim.quote)

        def found(standing: Standing, reason: str, *evidence: ev.Evidence) -> ClaimedLimit:
            return ClaimedLimit(claim.index, claim.event, claim.said, standing, reason, (said, *evidence))

        back = next(iter(_after(self._taken_back, claim.index)), None)
        if back is not None:
            evidence = ev.Evidence(event=back.event, quote=back.quote)
            return found(Standing.WITHDRAWN, "the agent took it back", evidence)
        if beaten := _beaten(claim.index, state):
            reason = "a later evaluation of the same scenarios is faster"
            return found(Standing.REFUTED, reason, *beaten)
        disproof = disproof_after(claim.index, state, self._commands)
        shown = [one for one in (disproof.tried, disproof.told) if one is not None]
        return found(Standing.STANDS if disproof.told else Standing.OPEN, disproof.reason, *shown)


def claimed_limits(state: SessionState) -> list[ClaimedLimit]:
    """Every limit claimed in a session, oldest first."""
    limits = Limits()
    limits.take(state)
    return limits.standing(state)


def disproof_after(index: int, state: SessionState, commands: "Commands | None" = None) -> Disproof:
    """What was tried to disprove a claim made at the event `index`, and whether it is on record.

    `commands` of the same session, kept from one call to the next, save reading them again.
    """
    tried: tuple[ToolRun, Layer | None] | None = None
    for run, new in islice(_disproofs(index, state, commands or Commands()), ATTEMPTS):
        assert run.result is not None
        tried = tried or (run, new)
        readings = telling(run.result.output)
        for text in _after(state.texts, max(index, run.result_index or 0)):
            if text.event.agent is None and gives_one_of(text.event.text, readings):
                return disproof(run, new, text)
    return disproof(*tried, None) if tried is not None else UNTRIED


@dataclass(frozen=True, slots=True)
class Attempt:
    """A measurement that can disprove a limit: the layers it looks at, and whether it looks for a bound."""

    command: str
    layers: tuple[Layer, ...]
    bound: bool


def attempt_of(run: ToolRun) -> Attempt | None:
    """What a call with its result can show of a limit, if there is a number in it; None: nothing."""
    if run.activity not in _MEASURES or run.result is None or run.result.is_error:
        return None
    command = command_text(run.call.tool, run.call.input)
    if command is None:
        return None
    layers = tuple(layer for layer in run.layers if _looked_at(layer, run.activity))
    bound = speaks_of_bound(command) or (_asks(run) and speaks_of_bound(run.result.output))
    return Attempt(command, layers, bound) if layers or bound else None


def disproof(run: ToolRun, new: Layer | None, told: Seen[ev.AgentText] | None) -> Disproof:
    """What is said of a measurement that was tried (`new`: first of a layer), and of where it is told."""
    reason = f"{new} was measured for the first time" if new else "a bound was measured"
    if told is None:
        return Disproof(f"{reason}, but no later message gives a number of its result", _evidence(run))
    where = ev.Evidence(event=told.event.id, quote=_short(told.event.text))
    return Disproof(f"{reason}, and its number is on record", _evidence(run), where)


UNTRIED = Disproof("no measurement of a bound, or in a layer not looked at before, was recognised after it")


def _disproofs(
    index: int, state: SessionState, commands: "Commands"
) -> Iterator[tuple[ToolRun, Layer | None]]:
    """Measurements with a result that came after the event at `index`, and the layer that is new."""
    visited = {visit.layer for visit in _until(state.visits, index)}
    commands.take(state)
    for run in _after(state.tools, index):
        found = commands.attempt(run)
        # One that had been run before the claim looks for nothing that the claim did not know.
        if found is None or commands.first[found.command] <= index:
            continue
        new = next((layer for layer in found.layers if layer not in visited), None)
        if new or found.bound:
            yield run, new


def _asks(run: ToolRun) -> bool:
    # Some benchmarks print the share of a peak beside every time: running one looks for no bound.
    return run.activity is not Activity.BENCHMARK_RUN


def _looked_at(layer: Layer, activity: Activity) -> bool:
    # Compiling a probe touches the build; only reading what the compiler made looks at it.
    return layer is not Layer.BUILD or activity is Activity.DISASSEMBLE


def _beaten(index: int, state: SessionState) -> tuple[ev.Evidence, ...]:
    """The best evaluation before, and the first of the same series after, whose interval lies above it."""
    series = [seen for seen in state.series if seen.event.geomean and all_correct(seen.event)]
    before = [seen.event for seen in series if seen.index < index]
    if not before:
        return ()
    best = max(before, key=lambda evaluation: evaluation.geomean or 0.0)
    for seen in series:
        low = seen.event.low or 0.0
        if seen.index > index and low > (best.high or best.geomean or 0.0):
            return tuple(
                ev.Evidence(event=event.id, quote=f"geomean {event.geomean or 0:.2f}x over {event.baseline}")
                for event in (best, seen.event)
            )
    return ()


def withdrawal(text: str) -> str | None:
    """The sentence in which a message takes a claim back, if it does."""
    found = said_plainly(text, _TAKES_BACK)
    return None if found is None else _short(found)


def said_plainly(text: str, pattern: re.Pattern[str]) -> str | None:
    """The first sentence of a message's own prose that `pattern` is in, unless it asks or supposes."""
    if not pattern.search(text):
        return None
    prose = mask(text)
    for start, end in sentences(prose):
        sentence = prose[start:end]
        if pattern.search(sentence) and not sentence.rstrip().endswith("?") and " if " not in sentence:
            return text[start:end]
    return None


def _last_kernel_edit(state: SessionState, index: int) -> int:
    runs = reversed(_until(state.tools, index))
    called = next((run.index for run in runs if run.activity is Activity.KERNEL_EDIT), -1)
    edits = _until(state.candidate_edits, index)
    return max(called, edits[-1].index if edits else -1)


def _evidence(run: ToolRun) -> ev.Evidence:
    command = command_text(run.call.tool, run.call.input) or run.call.tool
    return ev.Evidence(event=run.call.id, quote=_short(command))


def _short(text: str, limit: int = 200) -> str:
    words = " ".join(text.split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


class _Placed(Protocol):
    @property
    def index(self) -> int: ...


P = TypeVar("P", bound=_Placed)


def _index_of(item: _Placed) -> int:
    return item.index


def _after(items: Sequence[P], index: int) -> Sequence[P]:
    return items[bisect_right(items, index, key=_index_of) :]


def _until(items: Sequence[P], index: int) -> Sequence[P]:
    return items[: bisect_right(items, index, key=_index_of)]
