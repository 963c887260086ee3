"""`agent_loop`: the agent makes the same calls again and gets the same answers."""

import re
from collections import deque
from dataclasses import dataclass

from kernelseek_tui.decisions.protocol import Finding
from sessions import events as ev
from sessions.layers import command_text
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind

SAME = 4  # the same call, answered the same, this often in a row
PERIODS = (2, 3)
ROUNDS = 3  # a pattern of two or three calls, this often

# Waiting and looking after something that runs is repeated on purpose.
_WAITS = re.compile(
    r"\b(?:sleep|wait|poll|tail -f|watch|squeue|nvidia-smi|rocm-smi|ps|pgrep|top|jobs|uptime|date|"
    r"git status|docker ps|kubectl get)\b",
    re.IGNORECASE,
)
_WAITING_TOOLS = re.compile(r"output|status|poll|wait|await|monitor|sleep|todo", re.IGNORECASE)
# What differs from call to call and means nothing.
_NOISE = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f-]{27,}\b|\b(?:toolu|call|task|bash)_\w+\b|\b\d{4}-\d\d-\d\d[T ][\d:.+Z-]+|"
    r"/tmp/[\w./-]+|"
    r"\bpid[ =:]*\d+|0x[0-9a-f]{6,}|\b\d+(?:\.\d+)? ?(?:ms|us|µs|s|seconds)\b",
    re.IGNORECASE,
)
_HEAD, _MOST = 200, 4_000


@dataclass(frozen=True, slots=True)
class _Step:
    call: str
    answer: str
    event: str
    quote: str


class AgentLoop:
    """Looks at the main agent's answered calls since a person last spoke.

    A step is the tool, its input without ids, times and temporary paths, and the start of its answer. Equal
    answers are asked for, so that a repeated benchmark or a changed file is no loop; waiting, polling and
    benchmark runs are left out (thresholds as in OpenHands' detector and LoopBrake's comparison of fixed
    rules, which stop good runs when they act on them: this one only flags).
    """

    kind = DecisionKind.AGENT_LOOP
    version = "1"

    def __init__(self) -> None:
        self._steps: deque[_Step] = deque(maxlen=max(SAME, ROUNDS * max(PERIODS)))

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest result closes a loop."""
        if isinstance(event, ev.HumanMessage | ev.QuestionAsked):
            self._steps.clear()
        if not isinstance(event, ev.ToolResult) or event.agent is not None:
            return None
        step = _step(state, event)
        if step is None:
            return None
        self._steps.append(step)
        steps = list(self._steps)
        for period, rounds in ((1, SAME), *((period, ROUNDS) for period in PERIODS)):
            newest = steps[-period * rounds :]
            same = all(_same(newest[place], newest[place - period]) for place in range(period, len(newest)))
            if len(newest) == period * rounds and same:
                self._steps.clear()
                return _finding(newest, period, rounds)
        return None


def _finding(steps: list[_Step], period: int, rounds: int) -> Finding:
    what = "The same call" if period == 1 else f"The same {period} calls"
    reason = f"{what} {rounds} times in a row, answered the same each time."
    newest, first = steps[-1], steps[0]
    evidence = (
        ev.Evidence(event=newest.event, quote=newest.quote),
        ev.Evidence(event=first.event, quote="the first of them"),
    )
    return Finding(DecisionKind.AGENT_LOOP, evidence, 0.6, reason)


def _same(one: _Step, other: _Step) -> bool:
    return one.call == other.call and one.answer == other.answer


def _step(state: SessionState, event: ev.ToolResult) -> _Step | None:
    run = state.run_of(event.call)
    if run is None or run.result is not event or run.activity is Activity.BENCHMARK_RUN:
        return None
    command = command_text(run.call.tool, run.call.input)
    if _WAITING_TOOLS.search(run.call.tool) or (command and _WAITS.search(command)):
        return None
    given = command if command is not None else repr(sorted(run.call.input.items()))
    if len(given) > _MOST:  # a whole file that is written: its ends and its length tell it from another
        given = f"{given[: _MOST // 2]} {len(given)} {given[-_MOST // 2 :]}"
    call = f"{run.call.tool} {_NOISE.sub('', given)}"
    ends = _NOISE.sub("", event.output[:_HEAD]), _NOISE.sub("", event.output[-_HEAD:])
    answer = f"{event.is_error} {len(event.output)} {' '.join(ends)}"
    return _Step(call, answer, event.id, " ".join(given.split())[:200])
