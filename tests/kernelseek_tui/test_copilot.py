from pathlib import Path

import pytest

from bank.bank import Bank
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Moment, Seer
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.none import Nobody
from kernelseek_tui.questioners.protocol import Questioner
from sessions import events as ev
from sessions.journal import Journal
from sessions.recognise import Recognition
from sessions.transcript import open_transcript
from sessions.vocabulary import DecisionKind

SUGGESTION = ev.Suggestion(entry="kq-x-001", group="g", question="How many?", score=1.0, reasons=("why",))


class FakeSeer(Seer):
    """Sees a moment at every text that says so."""

    def see(self, event: ev.AnyEvent) -> list[Moment]:
        self.state.apply(event)
        if not isinstance(event, ev.AgentText) or "stuck" not in event.text:
            return []
        decision = ev.DecisionPoint(
            id="draft",
            parent=event.id,
            decision=DecisionKind.PLATEAU,
            evidence=(ev.Evidence(event=event.id, quote=event.text),),
            confidence=0.5,
            reason="it says so",
        )
        return [Moment(self.state.count - 1, decision, (SUGGESTION,))]


@pytest.fixture
def bank() -> Bank:
    return Bank.load()


def copilot(folder: Path, bank: Bank, questioner: Questioner) -> Copilot:
    return Copilot(Journal(folder), FakeSeer(bank), questioner, "v1")


def text(words: str, name: str = "r1") -> ev.AgentText:
    return ev.AgentText(id=name, text=words)


def test_an_event_is_in_the_journal_before_a_listener_hears_of_it(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, Nobody())
    seen: list[str] = []
    pilot.listeners.append(
        lambda index: seen.append(open_transcript(pilot.journal.path).events[index].id)  # raises if absent
    )
    pilot.take(text("one"))
    pilot.take(text("stuck", "r2"))
    assert seen == [event.id for event in pilot.events]
    assert len(seen) == len(set(seen)) > 2


def test_a_drivers_ids_are_replaced_and_parents_follow(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, Nobody())
    pilot.take(ev.ToolCall(id="r7", call="c", tool="Bash"))
    pilot.take(ev.ToolResult(id="r8", parent="r7", call="c", output=""))
    call, result = pilot.events
    assert (call.id, result.id, result.parent) == ("e1", "e2", "e1")
    assert call.time is not None


def test_a_moment_is_written_with_its_suggestions_and_asked(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, FromBank())
    (pending,) = pilot.take(text("stuck"))
    kinds = [event.kind for event in pilot.events]
    assert kinds == ["agent_text", "decision_point", "suggestions_shown", "question_asked"]
    said, decision, shown, asked = pilot.events
    assert isinstance(decision, ev.DecisionPoint)
    assert decision.evidence[0].event == decision.parent == said.id
    assert isinstance(shown, ev.SuggestionsShown)
    assert (shown.parent, shown.bank_version, shown.suggestions) == (decision.id, "v1", (SUGGESTION,))
    assert isinstance(asked, ev.QuestionAsked)
    assert (asked.parent, asked.text, asked.entry, asked.questioner) == (
        decision.id,
        "How many?",
        "kq-x-001",
        "bank",
    )
    assert (pending.question, pending.text) == (asked.id, "How many?")
    assert [moment.decision.id for moment in pilot.moments] == [decision.id]


def test_silence_leaves_its_reason(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, Nobody())
    assert pilot.take(text("stuck")) == []
    note = pilot.events[-1]
    assert isinstance(note, ev.Note)
    assert "asks nothing" in note.text


def test_claims_are_recorded_with_their_quote(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, Nobody())
    pilot.take(text("The optimization is complete. We have reached the hardware limit of this machine."))
    claims = [event for event in pilot.events if isinstance(event, ev.Claim)]
    assert {claim.claim for claim in claims} >= {"completion"}
    assert all(claim.parent == "e1" and claim.quote for claim in claims)


def test_the_journal_folds_to_the_live_state(tmp_path: Path, bank: Bank) -> None:
    pilot = copilot(tmp_path, bank, FromBank())
    pilot.take(text("one"))
    pilot.take(text("stuck", "r2"))
    pilot.journal.close()
    read = open_transcript(pilot.journal.path)
    assert [event.id for event in read.events] == [event.id for event in pilot.events]
    assert not read.problems


def printed(command: str, output: str) -> list[ev.AnyEvent]:
    call = ev.ToolCall(id="c1", call="c1", tool="Bash", input={"command": command})
    return [call, ev.ToolResult(id="c2", parent="c1", call="c1", output=output)]


def test_what_a_benchmark_printed_is_an_evaluation_nobody_vouches_for(tmp_path: Path, bank: Bank) -> None:
    pilot = Copilot(Journal(tmp_path), FakeSeer(bank), Nobody(), "v1", Recognition())
    for event in printed("python bench.py", "geomean speedup: 1.31x\n"):
        pilot.take(event)
    (found,) = pilot.state.evaluations
    assert found.event.source_kind == "parsed"
    assert found.event.geomean == 1.31
    assert found.event.parent == "e2"
    again = Copilot(Journal(tmp_path / "b"), FakeSeer(bank), Nobody(), "v1", Recognition())
    again.restore(pilot.events)
    assert len(again.state.evaluations) == 1


def test_what_our_judge_printed_is_no_second_evaluation_of_a_judged_session(
    tmp_path: Path, bank: Bank
) -> None:
    output = (
        "scenario  status   ratio  interval    verdict  start   candidate\n"
        "a         CORRECT  1.50x  1.40..1.60  FASTER   3.0 ms  2.0 ms\n"
        "set demo: geomean 1.50x (1.40..1.60) FASTER over start; 1/1 correct; A/A floor 1.0%; 6.1 s\n"
        "VERDICT goal met (exit 0): every clause holds\n"
    )
    for judged, expected in ((False, 1), (True, 0)):
        recognition = Recognition(judged=judged)
        pilot = Copilot(Journal(tmp_path / str(judged)), FakeSeer(bank), Nobody(), "v1", recognition)
        for event in printed("kernelseek evaluate", output):
            pilot.take(event)
        assert len(pilot.state.evaluations) == expected
