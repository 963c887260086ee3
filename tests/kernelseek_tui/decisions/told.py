"""A session told in a few words: each method appends an event and folds it into the state."""

from kernelseek_tui.decisions.protocol import Detector, Finding
from kernelseek_tui.decisions.watch import Watch
from sessions import events as ev
from sessions.state import SessionState


class Told:
    """Feeds events to a detector or a watch and keeps what it said."""

    def __init__(self, detector: Detector | None = None, watch: Watch | None = None) -> None:
        self.state = SessionState()
        self.events: list[ev.AnyEvent] = []
        self.findings: list[Finding] = []
        self.points: list[ev.DecisionPoint] = []
        self._detector = detector
        self._watch = watch

    def take(self, event: ev.AnyEvent) -> str:
        self.state.apply(event)
        self.events.append(event)
        if self._detector is not None:
            finding = self._detector.look(self.state, event)
            self.findings += [finding] if finding else []
        if self._watch is not None:
            self.points += self._watch.look(self.state, event)
        return event.id

    @property
    def next_id(self) -> str:
        return f"e{len(self.events)}"

    def human(self, text: str, mid_turn: bool = False) -> str:
        return self.take(ev.HumanMessage(id=self.next_id, text=text, mid_turn=mid_turn))

    def says(self, text: str, agent: str | None = None, message: str | None = None) -> str:
        return self.take(ev.AgentText(id=self.next_id, text=text, agent=agent, message=message))

    def call(self, command: str, call: str = "c", message: str | None = None) -> str:
        return self.take(
            ev.ToolCall(id=self.next_id, call=call, tool="Bash", input={"command": command}, message=message)
        )

    def result(self, output: str = "", call: str = "c") -> str:
        return self.take(ev.ToolResult(id=self.next_id, call=call, output=output))

    def run(self, command: str, output: str = "") -> None:
        call = f"c{len(self.events)}"
        self.call(command, call)
        self.result(output, call)

    def edit(self) -> str:
        return self.take(ev.Edit(id=self.next_id, path="candidate.cpp", candidate=True))

    def evaluation(
        self,
        geomean: float | None,
        low: float | None = None,
        unmet: tuple[str, ...] = (),
        ratios: dict[str, float] | None = None,
        sha: str | None = None,
        scenario_set: str = "demo",
        counts: bool = True,
        bound_ns: float | None = None,
    ) -> str:
        rows = tuple(
            ev.ScenarioResult(id=name, status="CORRECT", ratio=ratio, bound_ns=bound_ns)
            for name, ratio in (ratios or {}).items()
        )
        return self.take(
            ev.Evaluation(
                id=self.next_id,
                evaluation=self.next_id,
                counts=counts,
                status="CORRECT",
                geomean=geomean,
                low=low,
                unmet=unmet,
                scenarios=rows,
                scenario_set=scenario_set,
                candidate_sha256=sha,
                total=len(rows),
                correct=len(rows),
            )
        )

    def goal(self, met: bool, unmet: tuple[str, ...] = ()) -> str:
        return self.take(ev.GoalVerdict(id=self.next_id, met=met, unmet=unmet))

    def turn_ended(self) -> str:
        return self.take(ev.TurnEnded(id=self.next_id))

    def asked(self, text: str = "Where does the time go?") -> str:
        return self.take(ev.QuestionAsked(id=self.next_id, questioner="bank", text=text))
