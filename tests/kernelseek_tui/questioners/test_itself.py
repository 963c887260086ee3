"""The `self` questioner: one message, the top group, the rule; nothing twice."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from bank.bank import Bank
from bank.params import fill
from bank.question import Group
from bank.ranking import rank
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.agents.rehearsal.words import bears
from kernelseek_tui.questioners.itself import DISPROVE, QUESTIONS, RULE, ItSelf, message
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Ask, Silent
from sessions import events as ev
from sessions.state import SessionState, fold
from sessions.vocabulary import DecisionKind

BANK = Bank.load()


def moment(kind: DecisionKind) -> ev.DecisionPoint:
    evidence = (ev.Evidence(event="e1", quote="flat"),)
    return ev.DecisionPoint(id="d1", decision=kind, evidence=evidence, confidence=0.5, reason="flat")


def told(*asked: str, turns_after: int = 10) -> SessionState:
    events: list[ev.AnyEvent] = []
    for number, text in enumerate(asked):
        events.append(ev.QuestionAsked(id=f"q{number}", questioner="self", text=text))
        events += [ev.AgentText(id=f"t{number}.{turn}", text="…") for turn in range(turns_after)]
    return fold(events)


def decide(state: SessionState, kind: DecisionKind = DecisionKind.PLATEAU, **limits: int) -> Ask | Silent:
    move = ItSelf(BANK, Limits(**limits)).decide(state, moment(kind), rank(BANK, state, kind))
    assert isinstance(move, Ask | Silent)
    return move


def ask(state: SessionState, kind: DecisionKind = DecisionKind.PLATEAU) -> str:
    move = decide(state, kind)
    assert isinstance(move, Ask)
    assert move.entry is None
    return move.text


def held(text: str) -> Sequence[str]:
    return [entry.id for entry in BANK.entries if entry.question in text]


@pytest.mark.parametrize("kind", DecisionKind)
def test_the_message_holds_the_top_group_and_the_rule(kind: DecisionKind) -> None:
    top = rank(BANK, told(), kind)[0]
    text = ask(told(), kind)
    assert f"1. {top.question}\n" in text
    assert RULE in text
    assert (DISPROVE in text) is (kind is DecisionKind.CLAIMED_LIMIT)
    entries = [BANK.get(entry) for entry in held(text)]
    assert 1 <= len(entries) <= QUESTIONS
    assert {entry.group.value for entry in entries} == {top.group}
    assert all(kind in entry.decision_kinds for entry in entries)
    assert text == ask(told(), kind)


def test_no_question_is_sent_twice_and_the_next_message_opens_another_group() -> None:
    texts: list[str] = []
    for _ in range(6):
        texts.append(ask(told(*texts)))
    sent = [entry for text in texts for entry in held(text)]
    assert len(sent) == len(set(sent))
    groups = [BANK.get(held(text)[0]).group for text in texts]
    assert all(one != other for one, other in pairwise(groups))


def test_it_is_silent_when_everything_was_sent() -> None:
    everything = message(DecisionKind.PLATEAU, "all", [fill(text, {}) for text in _questions()])
    move = decide(told(everything))
    assert isinstance(move, Silent)
    assert "asked before" in move.reason


def _questions() -> list[str]:
    return [entry.question for entry in BANK.entries]


def test_limits_are_kept() -> None:
    assert isinstance(decide(told("a"), questions=1), Silent)
    assert isinstance(decide(told("a", turns_after=1)), Silent)
    assert isinstance(decide(told("a", turns_after=3)), Ask)


def test_a_group_that_the_bank_does_not_know_gives_the_suggestion_alone() -> None:
    stranger = ev.Suggestion(entry="x", group="own", question="How many?", score=1.0, reasons=())
    move = ItSelf(BANK).decide(told(), moment(DecisionKind.PLATEAU), [stranger])
    assert isinstance(move, Ask)
    assert "1. How many?\n" in move.text
    assert "2. " not in move.text


def test_the_template_alone_leads_a_rehearsal_nowhere() -> None:
    """Only the questions, and the group's own name, may bear on a planted loss."""
    words = load_script(DEFAULT).loss_words
    for kind in DecisionKind:
        for subject in words.values():
            assert not bears(message(kind, "", []), subject)
    assert bears(message(DecisionKind.PLATEAU, Group.HOST.value, []), words["host"])
