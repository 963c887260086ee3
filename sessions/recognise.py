"""Evaluations out of what benchmark runs printed, marked `parsed`: nobody judged them.

Only results of benchmark runs are looked at, by the layer map's notion of one; a number in a file that was
read is none. Some exporters keep the first line of a command only: one that just changes the folder printed
nothing, so what it was is not known, and its output counts where it leaves no doubt.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text, place
from sessions.recognisers.compose import Composer
from sessions.recognisers.lines import output_of
from sessions.recognisers.protocol import ClaimsCalls, Recognised, Recogniser
from sessions.recognisers.registry import recognisers
from sessions.vocabulary import Activity

WAITING = 1_024  # results whose call has not come yet, at most
_SHORT = 2_000  # characters of an argument that may name a run in the background
_BACKGROUND = re.compile(r"running in background with ID: (\w{4,40})")
_SILENT = frozenset(("cd", "export", "source", "set", "unset", "pushd", "popd", "sleep", "mkdir", "true"))
_LAST_LINES = re.compile(r"\|\s*(?P<end>tail|head)\s+(?:-n\s*|-)(?P<lines>\d{1,6})\b")
_HELP = re.compile(r"\s(?:--help(?=\s|\Z)|-h\s*\Z)")
_FILTER = re.compile(r"\|\s*(?:tail|head|e?grep|rg|sed|awk|cut|uniq|sort)\b")


class Recognition:
    """Keeps the calls of a session and recognises their results. Feed it every event, in order.

    `judged`: our own judge's evaluations reach the session by themselves, so its printed ones are left out.
    """

    def __init__(self, known: Iterable[Recogniser] | None = None, *, judged: bool = False) -> None:
        self._judged = judged
        self._recognisers = tuple(recognisers() if known is None else known)
        self._claiming = [one for one in self._recognisers if isinstance(one, ClaimsCalls)]
        self._runs: dict[str, ev.ToolCall] = {}
        self._others: set[str] = set()
        self._early: OrderedDict[str, ev.ToolResult] = OrderedDict()
        self._background: dict[str, ev.ToolCall] = {}
        self._seen: set[tuple[str, str]] = set()
        self._composer = Composer()

    def look(self, event: ev.AnyEvent) -> list[ev.Evaluation]:
        """The evaluations that `event` brings; they belong right behind it."""
        if isinstance(event, ev.ToolCall):
            return self._call(event)
        if isinstance(event, ev.ToolResult):
            return self._result(event)
        return []

    def _call(self, call: ev.ToolCall) -> list[ev.Evaluation]:
        run = call if self._measures(call) else self._awaited(call)
        if run is None and _is_lost(call):
            run = call
        result = self._early.pop(call.call, None)
        if run is None:
            self._others.add(call.call)
            return []
        if result is None:
            self._runs[call.call] = run
            return []
        self._others.add(call.call)
        return list(self._look(result, run))

    def _result(self, result: ev.ToolResult) -> list[ev.Evaluation]:
        run = self._runs.pop(result.call, None)
        if run is not None:
            self._others.add(result.call)  # a replayed result says nothing new
            return list(self._look(result, run))
        if result.call not in self._others and result.call not in self._early:
            self._early[result.call] = result
            if len(self._early) > WAITING:
                self._early.popitem(last=False)
        return []

    def _measures(self, call: ev.ToolCall) -> bool:
        if place(call.tool, call.input)[0] is Activity.BENCHMARK_RUN:
            return not _asks_for_help(call)
        return any(one.claims(call) for one in self._claiming)

    def _awaited(self, call: ev.ToolCall) -> ev.ToolCall | None:
        """The benchmark run in the background whose output this call fetches."""
        if not self._background:
            return None
        for value in call.input.values():
            if isinstance(value, str) and len(value) <= _SHORT:
                for name, run in self._background.items():
                    if name in value:
                        return run
        return None

    def _look(self, result: ev.ToolResult, call: ev.ToolCall) -> Iterator[ev.Evaluation]:
        if behind := _BACKGROUND.search(result.output[:_SHORT]):
            self._background[behind[1]] = call
            return
        output = output_of(result.output)
        found: list[Recognised] = []
        for one in self._recognisers:
            said = one.look(output.text, call)
            if said is not None and said.whole:
                if self._judged:
                    return
                found = [said]
                break
            if said is not None:
                found.append(said)
        lost = _is_lost(call)
        all_there = not lost and _all_there(output.text, output.cut, call)
        evaluation = self._composer.evaluation(result, call, found, all_there)
        if evaluation is None or (lost and not _beyond_doubt(evaluation, found)):
            return
        # The output of a run in the background is looked at again and again while it grows.
        if result.call != call.call:
            shown = evaluation.model_copy(
                update={"id": "", "evaluation": "", "parent": None, "time": None, "source": None}
            )
            key = (call.call, shown.model_dump_json())
            if key in self._seen:
                return
            self._seen.add(key)
        yield evaluation


def _all_there(text: str, cut: bool, call: ev.ToolCall) -> bool:
    """Whether all that the run printed is in the output, as far as its command and its marks tell."""
    command = command_text(call.tool, call.input) or ""
    if cut or "Traceback (most recent call last)" in text:
        return False
    lines = text.strip("\n").count("\n") + 1
    for match in _LAST_LINES.finditer(command):
        if lines >= int(match["lines"]):
            return False
    return _FILTER.search(_LAST_LINES.sub("", command)) is None


def _asks_for_help(call: ev.ToolCall) -> bool:
    """Whether every benchmark in the command only prints how it is used."""
    command = command_text(call.tool, call.input)
    if not command or "-h" not in command or len(command) > _SHORT:
        return False
    runs = [one.text for one in split(command)]
    runs = [text for text in runs if place("Bash", {"command": text})[0] is Activity.BENCHMARK_RUN]
    return bool(runs) and all(_HELP.search(text) for text in runs)


def _is_lost(call: ev.ToolCall) -> bool:
    """Whether all that is known of a command are programs that print nothing."""
    command = command_text(call.tool, call.input)
    if not command or len(command) > _SHORT:
        return False
    return all(one.program in _SILENT for one in split(command))


def _beyond_doubt(evaluation: ev.Evaluation, found: list[Recognised]) -> bool:
    """An evaluator's output by itself: several scenarios with times and ratios, or several cases checked."""
    rows = evaluation.scenarios
    if rows:
        timed = all(row.candidate_ns is not None for row in rows)
        return len(rows) > 1 and timed and (rows[0].ratio is not None or evaluation.status == "WRONG")
    return any(one.total > 1 for one in found)
