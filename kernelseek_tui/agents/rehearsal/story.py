"""Walks through a script: hears messages, gives replies, takes tool results.

Pure: no clock, no file, no chance but the seed, so the same conversation always gives the same replies and
a player without memory can find its place by walking through the conversation again.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelseek_tui.agents.rehearsal.script import BACK, Rule, Script, ScriptError, State, Turn, fill
from kernelseek_tui.agents.rehearsal.words import bears

MAX_HOPS = 200
"""States walked through without a tool call before the script is taken for a circle."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool the agent calls."""

    tool: str
    input: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Reply:
    """One model reply: texts, then calls. Without calls the agent's turn ends."""

    texts: tuple[str, ...]
    calls: tuple[ToolUse, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call. `interrupted`: a person stopped it."""

    output: str
    is_error: bool = False
    interrupted: bool = False


@dataclass(slots=True)
class _Place:
    state: str
    turn: int = 0
    said: bool = False
    results: str = ""


@dataclass(slots=True)
class Story:
    """A script being played in `workspace` (an absolute path) with `seed`.

    Call `hear` for each human message, `reply` for each model reply and, where it has calls, `results`
    with their outcomes in order; messages that came meanwhile are heard after the results.
    """

    script: Script
    seed: int
    workspace: str
    variables: dict[str, str] = field(init=False)
    _places: list[_Place] = field(default_factory=list)
    _last: str = ""
    _started: bool = False
    _opening_words: list[str] = field(default_factory=list)
    _held: list[str] = field(default_factory=list)
    _used: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set the variables the seed and the workspace decide."""
        self.variables = {
            **self.script.variables,
            **self.script.variant(self.seed),
            "workspace": self.workspace,
            "candidate": self.script.candidate,
            "seed": str(self.seed),
        }

    def saved(self) -> dict[str, Any]:
        """Where the story stands, as JSON values, for `restore`."""
        return {
            "variables": dict(self.variables),
            "places": [[place.state, place.turn, place.said, place.results] for place in self._places],
            "last": self._last,
            "started": self._started,
            "opening_words": list(self._opening_words),
            "held": list(self._held),
            "used": dict(self._used),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where another story of this script stood. Raises `ValueError`, and then changes nothing."""
        try:
            places = [
                _Place(str(state), int(turn), bool(said), str(results))
                for state, turn, said, results in saved["places"]
            ]
            variables = {name: str(saved["variables"][name]) for name in self.variables}
            used = {str(key): int(count) for key, count in saved["used"].items()}
            words, held = ([str(text) for text in saved[key]] for key in ("opening_words", "held"))
            last, started = str(saved["last"]), bool(saved["started"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError("not a saved story of this script") from error
        states = self.script.states
        if any(p.state not in states or p.turn < 0 for p in places) or (last and last not in states):
            raise ValueError("a saved story of another script")
        self.variables, self._places, self._used = variables, places, used
        self._last, self._started, self._opening_words, self._held = last, started, words, held

    @property
    def working(self) -> bool:
        """There is work left to do before the agent's turn ends."""
        return bool(self._places)

    def hear(self, text: str) -> None:
        """Take in a human message. The first one starts the story, whatever it says."""
        if not self._started:
            self._started = True
            self._places = [_Place(self._fill(self.script.start))]
        elif self._places and self._state.hold:
            self._held.append(text)
        else:
            self._react(text)

    def reply(self) -> Reply:
        """The next model reply. Raises `ScriptError` where the script goes round in circles."""
        texts, self._opening_words = self._opening_words, []
        for _ in range(MAX_HOPS):
            if not self._places:
                return Reply(tuple(texts) or (self._fill(self.script.rest),), ())
            place, turns = self._places[-1], self._state.turns
            if place.turn >= len(turns):
                self._leave(place)
                texts += self._opening_words
                self._opening_words = []
                continue
            turn = turns[place.turn]
            if not place.said:
                for new, old in turn.keep.items():
                    self.variables[new] = self.variables[old]
                texts += self._say(turn.texts, f"{place.state}.{place.turn}")
                place.said = True
            if calls := self._calls(turn):
                return Reply(tuple(texts), calls)
            place.turn, place.said = place.turn + 1, False
        raise ScriptError(
            f"The script {self.script.name} goes round in circles at {self._places[-1].state!r}."
        )

    def results(self, outcomes: Sequence[Outcome]) -> None:
        """Take in what came of the reply's calls. An interrupted step is done again when work goes on."""
        place = self._places[-1]
        if any(outcome.interrupted for outcome in outcomes):
            return
        place.results = "\n".join(outcome.output for outcome in outcomes)
        for name, pattern in self._state.turns[place.turn].capture.items():
            match = re.search(pattern, place.results, re.MULTILINE)
            # An old number must not be told as if it had just been measured.
            self.variables[name] = match.group(1) if match else self.script.variables[name]
        place.turn, place.said = place.turn + 1, False

    @property
    def _state(self) -> State:
        return self.script.states[self._places[-1].state]

    def _leave(self, place: _Place) -> None:
        """Go where the finished state leads, then react to what it held back."""
        held = self._held if self._state.hold else []
        branches = self._state.branches
        way = next((b.go for b in branches if b.seen is None or re.search(b.seen, place.results, re.M)), None)
        self._last = place.state
        if way is None:
            self._places.clear()
        elif way == BACK:
            self._places.pop()
        else:
            self._places[-1] = _Place(self._fill(way), results=place.results)
        if held and not (self._places and self._state.hold):
            self._held = []
            for text in held:
                self._react(text)

    def _react(self, text: str) -> None:
        state = self._places[-1].state if self._places else self._last
        own = self.script.states[state].on_message if state else ()
        where = state if own else ""
        for index, rule in enumerate(own or self.script.on_message):
            key = f"{where}.on_message.{index}"
            if self._fits(rule, key, text):
                self._opening_words += self._say(rule.texts, key)
                if not rule.texts:
                    self._used[key] = self._used.get(key, 0) + 1
                if rule.enter:
                    self._places.append(_Place(self._fill(rule.enter)))
                elif rule.go:
                    self._places = [_Place(self._fill(rule.go))]
                return

    def _fits(self, rule: Rule, key: str, text: str) -> bool:
        if rule.limit is not None and self._used.get(key, 0) >= rule.limit:
            return False
        if rule.when is not None and (rule.when == "working") != self.working:
            return False
        return rule.bears is None or bears(text, self.script.subjects[self._fill(rule.bears)])

    def _say(self, texts: tuple[str, ...], key: str) -> list[str]:
        if not texts:
            return []
        visit = self._used.get(key, 0)
        self._used[key] = visit + 1
        return [self._fill(texts[min(visit, len(texts) - 1)])]

    def _calls(self, turn: Turn) -> tuple[ToolUse, ...]:
        if turn.call:
            values = turn.call.input.items()
            filled = {key: self._fill(value) if isinstance(value, str) else value for key, value in values}
            return (ToolUse(turn.call.tool, filled),)
        if turn.edit:
            path = f"{self.workspace}/{self.script.candidate}"
            pairs = self.script.replacements[self._fill(turn.edit)]
            return tuple(
                ToolUse("Edit", {"file_path": path, "old_string": pair.old, "new_string": pair.new})
                for pair in pairs
            )
        return ()

    def _fill(self, text: str) -> str:
        return fill(text, self.variables)
