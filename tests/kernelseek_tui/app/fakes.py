"""A session and a feed made up for tests: no agent, no file."""

from collections.abc import Callable, Sequence
from contextvars import Context
from datetime import UTC, datetime, timedelta

from kernelseek_tui.agents.protocol import AgentError, Capabilities, PermissionChoice
from kernelseek_tui.hindsight import Moment
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, GapClass

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

SCENARIOS = ("mha-causal-s512", "gqa-window-s1024", "mha-full-s256", "gqa-causal-s2048")


def evaluation(
    number: int, ratios: Sequence[float], status: str = "CORRECT", **more: object
) -> ev.Evaluation:
    rows = tuple(
        ev.ScenarioResult(
            id=name,
            status=status if index == 0 else "CORRECT",
            ratio=ratio,
            low=ratio - 0.04,
            high=ratio + 0.04,
            verdict="FASTER" if ratio > 1.05 else "SLOWER" if ratio < 0.95 else "SAME",
            baseline_ns=8e6,
            candidate_ns=8e6 / ratio,
            bound_ns=2e6,
            detail="head 3 of 8 differs: relative RMS 0.7, allowed 1e-5"
            if status != "CORRECT" and index == 0
            else "",
        )
        for index, (name, ratio) in enumerate(zip(SCENARIOS, ratios, strict=False))
    )
    mean = 1.0
    for ratio in ratios:
        mean *= ratio ** (1 / len(ratios))
    right = status == "CORRECT"
    fields: dict[str, object] = {
        "id": f"eval-{number}",
        "evaluation": f"e{number}",
        "counts": True,
        "owner": "screen",
        "scenario_set": "demo",
        "baseline": "start",
        "status": status,
        "exit_code": 10 if right else 20,
        "geomean": mean if right else 0.0,
        "low": mean - 0.03 if right else None,
        "high": mean + 0.03 if right else None,
        "noise_floor": 0.01,
        "scenarios": rows,
        "correct": len(rows) if right else len(rows) - 1,
        "total": len(rows),
        "unmet": () if mean > 1.8 and right else ("every scenario's interval above 1.8× over start",),
    }
    return ev.Evaluation.model_validate(fields | more)


def decision(
    number: int, kind: DecisionKind = DecisionKind.PLATEAU, evidence: str = "eval-2"
) -> ev.DecisionPoint:
    return ev.DecisionPoint(
        id=f"decision-{number}",
        decision=kind,
        evidence=(ev.Evidence(event=evidence, quote="geometric mean 1.21× after 1.20×, three evaluations"),),
        confidence=0.8,
        reason="3 evaluations without a gain of more than the floor of 1 %.",
    )


def suggestions() -> tuple[ev.Suggestion, ...]:
    return (
        ev.Suggestion(
            entry="kq-host-001",
            group="host-and-launch-path",
            question="From the call until the first useful instruction, "
            "how many microseconds go by on the host?",
            score=0.93,
            reasons=("serves a plateau", "no tool call has touched the host path yet"),
        ),
        ev.Suggestion(
            entry="kq-routing-001",
            group="routing-and-distribution",
            question="Counted from a trace, how many scenarios end up on the most general code path?",
            score=0.88,
            reasons=("serves a plateau", "routing not visited"),
        ),
        ev.Suggestion(
            entry="kq-bounds-002",
            group="bounds-and-differencing",
            question="What fraction of the roofline does the slowest scenario reach?",
            score=0.7,
            reasons=("the scoreboard spreads by 3×",),
        ),
    )


def story() -> list[ev.AnyEvent]:
    """A short rehearsed session with everything in it that has a look of its own."""
    made: list[ev.AnyEvent] = [
        ev.SessionStarted(
            id="start",
            session="s1",
            agent_name="rehearsal",
            model="script",
            operator="attention",
            questioner="human",
            rehearsed=True,
            task="Make attention.cpp faster. Done when every scenario is above 1.8× over the start.",
        ),
        ev.HumanMessage(
            id="task", text="Make attention.cpp faster.\nRun kernelseek evaluate after each change."
        ),
        ev.AgentText(
            id="plan",
            message="m1",
            text="## Plan\nI read the kernel first, then **measure**.\n\n"
            "- the inner loop in `attention.cpp`\n"
            "- memory traffic of the score row, which is the largest buffer here by far\n\n"
            "```cpp\nfor (int k = 0; k < n; ++k)\n    acc += q[k] * kv[k];\n```",
        ),
        ev.Thinking(
            id="think", message="m1", text="The score row is materialised.\nOnline softmax avoids that."
        ),
        ev.ToolCall(
            id="call-1", call="c1", tool="Bash", input={"command": "kernelseek evaluate"}, message="m1"
        ),
        ev.ToolResult(
            id="result-1", call="c1", output="\n".join(f"row {i}\tvalue {i * 7}" for i in range(40))
        ),
        evaluation(1, (1.0, 1.01, 0.99, 1.0)),
        ev.Edit(
            id="edit-1",
            path="attention.cpp",
            candidate=True,
            diff="--- a\n+++ b\n@@ -10,3 +10,4 @@\n float acc = 0;\n-for (int k = 0; k < n; ++k)\n"
            "+#pragma omp simd\n+for (int k = 0; k < n; ++k)\n",
        ),
        evaluation(2, (1.2, 1.22, 1.19, 1.25)),
        evaluation(3, (1.2, 1.22, 1.19, 1.25), status="WRONG"),
        ev.GapClassified(
            id="gap", scenarios=("gqa-causal-s2048",), gap=GapClass.HOST, measured="41 µs before the loop"
        ),
        evaluation(4, (1.4, 1.35, 1.02, 0.9)),
        ev.AgentText(
            id="limit", message="m2", text="This is memory-bound now; I do not think that more is possible."
        ),
        ev.Claim(id="claim", claim="limit", quote="I do not think that more is possible", parent="limit"),
        decision(1),
        ev.SuggestionsShown(
            id="shown-1", parent="decision-1", suggestions=suggestions(), bank_version="test"
        ),
        ev.Usage(id="use", message="m2", input_tokens=12_300, output_tokens=4_500, cost_usd=0.31),
    ]
    return [
        event.model_copy(update={"time": START + timedelta(seconds=7 * index)})
        for index, event in enumerate(made)
    ]


class FakeFeed:
    """A feed that records what the screen asks of it. `add` is what a driver would do."""

    live = True
    title = "attention · rehearsal"

    def __init__(self, events: Sequence[ev.AnyEvent] = (), *, failing: bool = False) -> None:
        self.capabilities = Capabilities(interrupt=True, pause=True)
        self.events: list[ev.AnyEvent] = []
        self.moments: list[Moment] = []
        self.state = SessionState()
        self.activity = ""
        self.partial = ""
        self.receipt: ev.QuestionReceipt | None = None
        self.paused = False
        self.judged = True
        self.asked: list[tuple[str, str | None, str | None, bool]] = []
        self.dismissed: list[tuple[str, str | None]] = []
        self.answered: list[tuple[str, str, str]] = []
        self.calls: list[str] = []
        self._failing = failing
        self._listeners: list[Callable[[int], None]] = []
        self._activity_listeners: list[Callable[[], None]] = []
        for event in events:
            self.add(event)

    @property
    def rehearsed(self) -> bool:
        return self.state.rehearsed

    def add(self, event: ev.AnyEvent) -> None:
        index = len(self.events)
        self.events.append(event)
        self.state.apply(event)
        if isinstance(event, ev.SuggestionsShown):
            decided = self.events[index - 1]
            assert isinstance(decided, ev.DecisionPoint)
            self.moments.append(Moment(index - 1, decided, event.suggestions))
        for listener in self._listeners:
            # A live session's tasks are older than the application and know nothing of its context.
            Context().run(listener, index)

    def subscribe(self, listener: Callable[[int], None]) -> None:
        self._listeners.append(listener)

    def on_activity(self, listener: Callable[[], None]) -> None:
        self._activity_listeners.append(listener)

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        if self._failing:
            raise AgentError("The agent is gone.")
        self.asked.append((text, entry, decision, edited))
        number = len(self.asked)
        self.add(
            ev.QuestionAsked(
                id=f"asked-{number}",
                questioner="human",
                text=text,
                entry=entry,
                edited=edited,
                parent=decision,
            )
        )
        receipt = self.receipt or ev.QuestionReceipt(id="", receipt="own_turn")
        self.add(receipt.model_copy(update={"id": f"receipt-{number}", "parent": f"asked-{number}"}))

    async def answer(self, request: str, choice: PermissionChoice, message: str) -> None:
        self.answered.append((request, choice, message))
        number = len(self.answered)
        self.add(
            ev.PermissionAnswered(id=f"answer-{number}", request=request, answer=choice, message=message)
        )

    def write(self, text: str) -> None:
        """The agent is writing `text`."""
        self.partial = text
        for listener in self._activity_listeners:
            Context().run(listener)

    async def dismiss(self, decision: str, entry: str | None, reason: str) -> None:
        self.dismissed.append((decision, entry))
        self.add(
            ev.SuggestionDismissed(
                id=f"aside-{len(self.dismissed)}", parent=decision, entry=entry, reason=reason
            )
        )

    async def interrupt(self) -> None:
        self.calls.append("interrupt")

    async def pause(self) -> None:
        self.paused = True
        self.calls.append("pause")

    async def resume(self) -> None:
        self.paused = False
        self.calls.append("resume")

    async def close(self) -> None:
        self.calls.append("close")
