"""A report made of events in memory, and a session with something of everything in it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bank.bank import Bank
from kernelseek_tui.hindsight import Moment, Seer
from kernelseek_tui.reading import Reading
from kernelseek_tui.reports.build import from_reading, report_of
from kernelseek_tui.reports.model import Report, SessionReport
from kernelseek_tui.review.review import Review
from sessions import events as ev
from sessions.readers import own
from sessions.vocabulary import DecisionKind

BANK = Bank.load()
START = datetime(2026, 11, 29, tzinfo=UTC)


def reported(events: Sequence[ev.AnyEvent], name: str = "a session") -> SessionReport:
    seer, review = Seer(BANK), Review()
    moments: list[Moment] = []
    for event in events:
        moments += seer.see(event)
        review.take(seer.state, event)
    moments += seer.close()
    lines = {event.id: place for place, event in enumerate(events)}
    return from_reading(Reading(own.FORMAT, "x", seer.state, len(events), {}, moments, lines), review, name)


def report(*sessions: SessionReport) -> Report:
    return report_of(sessions, BANK)


def numbered(events: Sequence[ev.AnyEvent], seconds: float = 7) -> list[ev.AnyEvent]:
    """The events with ids and times of their own."""
    return [
        event.model_copy(update={"id": f"e{place}", "time": START + timedelta(seconds=seconds * place)})
        for place, event in enumerate(events)
    ]


def story(rehearsed: bool = False, source: str = "judge", said: str = "words") -> list[ev.AnyEvent]:
    """A task, measurements, a claim, a question, a gain; `said` stands wherever a text can."""

    def measured(mean: float, exit_code: int = 0) -> ev.Evaluation:
        return ev.Evaluation(
            id="",
            evaluation=said,
            source_kind="judge" if source == "judge" else "parsed",
            status=said,
            exit_code=exit_code,
            geomean=mean,
            baseline=said,
            scenario_set=said,
            detail=said,
            unmet=(said,),
        )

    events: list[ev.AnyEvent] = [
        ev.SessionStarted(
            id="",
            session="s",
            agent_name=said,
            model=said,
            operator=said,
            rehearsed=rehearsed,
            candidate=said,
        ),
        ev.HumanMessage(id="", text=f"Make the CUDA kernel faster; the benchmark decides. {said}"),
        ev.ToolCall(id="", call="a", tool=said, input={"command": said, "file_path": said}),
        ev.ToolResult(id="", call="a", output=said),
        measured(1.0),
        measured(0.0, 20),
        ev.AgentText(id="", text=f"This is the hardware limit. {said}"),
        ev.DecisionPoint(
            id="",
            decision=DecisionKind.CLAIMED_LIMIT,
            evidence=(ev.Evidence(event="e6", quote=said),),
            confidence=0.9,
            reason=said,
        ),
        ev.SuggestionsShown(
            id="",
            parent="e7",
            bank_version=said,
            suggestions=(ev.Suggestion(entry=said, group=said, question=said, score=1.0, reasons=(said,)),),
        ),
        ev.QuestionAsked(id="", parent="e7", questioner=said, text=f"Where does the time go? {said}"),
        ev.ToolCall(id="", call="b", tool="Bash", input={"command": "nsys profile ./bench"}),
        ev.ToolResult(id="", call="b", output="launch 3.1 us"),
        measured(2.5),
        ev.AgentText(id="", text=f"All tasks are complete. {said}"),
        ev.GoalVerdict(id="", met=False, unmet=(said,)),
        ev.Usage(id="", input_tokens=10, output_tokens=20, cost_usd=1.25),
        ev.ReaderProblem(id="", line=3, what=said),
    ]
    return numbered(events)
