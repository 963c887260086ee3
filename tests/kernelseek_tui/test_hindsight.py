import json

import pytest

from bank.bank import Bank
from kernelseek_tui.hindsight import SUGGESTIONS, Moment, Seer
from sessions import events as ev
from sessions.state import fold
from sessions.vocabulary import DecisionKind
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.decisions.told import Told

LIMIT = "I believe this is the hardware limit."


@pytest.fixture(scope="module")
def bank() -> Bank:
    return Bank.load()


def hindsight(events: list[ev.AnyEvent], bank: Bank, limit: int = SUGGESTIONS) -> list[Moment]:
    """Every moment of a whole session, oldest first."""
    seer = Seer(bank, limit=limit)
    moments = [moment for event in events for moment in seer.see(event)]
    return moments + seer.close()


def _story() -> list[ev.AnyEvent]:
    told = Told()
    told.human("Make the CUDA kernel faster; the benchmark and its geometric mean decide.")
    told.says("I'll read the kernel first.")
    for _ in range(5):
        told.call("kernelseek evaluate", "c" + told.next_id)
        call = told.events[-1]
        assert isinstance(call, ev.ToolCall)
        told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2}, unmet=("b above 1x",))
        told.result(call=call.call)
    told.says(LIMIT)
    told.says("The work is done.")
    told.turn_ended()
    return told.events


def test_moments_come_in_order_with_suggestions_for_their_kind(bank: Bank) -> None:
    moments = hindsight(_story(), bank)
    assert [moment.decision.decision for moment in moments] == [
        DecisionKind.SCOPE,
        DecisionKind.PLATEAU,
        DecisionKind.CLAIMED_LIMIT,
        DecisionKind.CLAIMED_COMPLETION,
    ]
    for moment in moments:
        assert 1 <= len(moment.suggestions) <= 5
        for suggestion in moment.suggestions:
            assert moment.decision.decision in bank.get(suggestion.entry).decision_kinds
            assert suggestion.reasons


def test_every_event_named_as_evidence_was_there_by_then(bank: Bank) -> None:
    events = _story()
    state = fold(events)
    for moment in hindsight(events, bank):
        for evidence in moment.decision.evidence:
            index = state.event_index(evidence.event)
            assert index is not None
            assert index <= moment.index


def test_nothing_later_changes_what_was_seen(bank: Bank) -> None:
    events = _story()
    whole = hindsight(events, bank)
    for moment in whole:
        seer = Seer(bank)
        seen = [found for event in events[: moment.index + 1] for found in seer.see(event)]
        assert seen == [found for found in whole if found.index <= moment.index]


def test_live_and_replay_see_the_same(bank: Bank) -> None:
    # Live, what was flagged is written into the journal; replay reads it back and must not trip over it.
    journal: list[ev.AnyEvent] = []
    live: list[Moment] = []
    seer = Seer(bank)
    for event in _story():
        journal.append(event)
        for moment in seer.see(event):
            live.append(moment)
            journal.append(moment.decision)
            assert seer.see(moment.decision) == []
    replayed = hindsight(journal, bank)
    assert [moment.decision for moment in replayed] == [moment.decision for moment in live]
    assert [moment.suggestions for moment in replayed] == [moment.suggestions for moment in live]


def test_limit_is_the_number_of_suggestions(bank: Bank) -> None:
    assert {len(moment.suggestions) for moment in hindsight(_story(), bank, limit=2)} == {2}


def test_a_transcript_cut_in_a_command_keeps_its_moment(bank: Bank) -> None:
    told = Told()
    told.call("make")
    told.says(LIMIT)
    (moment,) = hindsight(told.events, bank)
    assert moment.decision.decision is DecisionKind.CLAIMED_LIMIT


@needs_cases
@pytest.mark.parametrize("case", range(4))
def test_the_published_cases_are_seen_before_the_human_speaks(case: int, bank: Bank) -> None:
    from sessions.transcript import open_transcript

    assert CASES is not None
    label = json.loads((CASES / "study" / "study_labels.json").read_text())["cases"][case]
    asked_at = label["question_entry"]
    line = 0
    lines: dict[str, int] = {}
    before: list[ev.AnyEvent] = []
    for event in open_transcript(CASES / "study" / label["file"]).events:
        line = event.source.line if event.source else line
        if line >= asked_at:
            break
        lines[event.id] = line
        before.append(event)
    hits = [
        moment
        for moment in hindsight(before, bank)
        if moment.decision.decision in label["acceptable_kinds"]
        and lines[moment.decision.evidence[0].event] >= asked_at - 5
    ]
    assert hits
    groups = [suggestion.group for moment in hits for suggestion in moment.suggestions]
    assert set(groups) & set(label["acceptable_groups"])
