import pytest

from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.none import Nobody
from kernelseek_tui.questioners.protocol import Ask, Offer, Silent
from kernelseek_tui.questioners.random import AtRandom
from sessions import events as ev
from sessions.state import SessionState, fold
from sessions.vocabulary import DecisionKind

ENTRIES = [(f"kq-x-{n:03d}", f"How many x{n}?") for n in range(6)]
SUGGESTIONS = [
    ev.Suggestion(entry=entry, group="g", question=text, score=1.0, reasons=("r",))
    for entry, text in ENTRIES[:3]
]


def moment(kind: DecisionKind = DecisionKind.PLATEAU) -> ev.DecisionPoint:
    return ev.DecisionPoint(
        id="d1",
        decision=kind,
        evidence=(ev.Evidence(event="e1", quote="flat"),),
        confidence=0.5,
        reason="flat",
    )


def session(*asked: str | None, turns_after: int = 10) -> SessionState:
    events: list[ev.AnyEvent] = []
    for number, entry in enumerate(asked):
        events += [ev.AgentText(id=f"t{number}.{turn}", text="…") for turn in range(10)]
        events.append(ev.QuestionAsked(id=f"q{number}", questioner="bank", text="?", entry=entry))
    events += [ev.AgentText(id=f"after{turn}", text="…") for turn in range(turns_after)]
    return fold(events)


def test_human_is_offered_everything_and_asked_nothing() -> None:
    assert Human().decide(session(), moment(), SUGGESTIONS) == Offer()


def test_nobody_stays_silent_with_a_reason() -> None:
    assert isinstance(Nobody().decide(session(), moment(), SUGGESTIONS), Silent)


def test_bank_asks_the_best_suggestion_word_for_word() -> None:
    assert FromBank().decide(session(), moment(), SUGGESTIONS) == Ask("How many x0?", "kq-x-000")


def test_bank_never_asks_one_entry_twice() -> None:
    assert FromBank().decide(session("kq-x-000"), moment(), SUGGESTIONS) == Ask("How many x1?", "kq-x-001")
    everything = session(*[entry for entry, _ in ENTRIES])
    assert isinstance(FromBank().decide(everything, moment(), SUGGESTIONS), Silent)


def test_bank_is_silent_without_suggestions() -> None:
    assert isinstance(FromBank().decide(session(), moment(), []), Silent)


@pytest.mark.parametrize(
    "questioner", [FromBank(Limits(questions=2)), AtRandom(ENTRIES, 0, Limits(questions=2))]
)
def test_budget(questioner: FromBank | AtRandom) -> None:
    assert isinstance(questioner.decide(session("a"), moment(), SUGGESTIONS), Ask)
    refused = questioner.decide(session("a", "b"), moment(), SUGGESTIONS)
    assert isinstance(refused, Silent)
    assert "budget of 2" in refused.reason


@pytest.mark.parametrize(("turns", "asks"), [(0, False), (2, False), (3, True)])
def test_cool_down_counts_the_agents_turns(turns: int, asks: bool) -> None:
    move = FromBank(Limits(cool_down_turns=3)).decide(session("a", turns_after=turns), moment(), SUGGESTIONS)
    assert isinstance(move, Ask) is asks


def test_a_claimed_completion_does_not_wait_for_the_cool_down() -> None:
    state = session("a", turns_after=0)
    assert isinstance(FromBank().decide(state, moment(DecisionKind.CLAIMED_COMPLETION), SUGGESTIONS), Ask)


def test_an_agent_that_has_stopped_listening_is_left_alone_until_it_moves() -> None:
    state = session(*"abc")
    limits = Limits(fruitless=3)
    refused = FromBank(limits).decide(state, moment(DecisionKind.CLAIMED_COMPLETION), SUGGESTIONS)
    assert isinstance(refused, Silent)
    assert "last 3 questions" in refused.reason
    state.apply(ev.Edit(id="edit", path="candidate.cpp"))
    assert isinstance(
        FromBank(limits).decide(state, moment(DecisionKind.CLAIMED_COMPLETION), SUGGESTIONS), Ask
    )


def test_random_ignores_the_ranking_and_repeats_with_its_seed() -> None:
    state = session()
    drawn = {AtRandom(ENTRIES, seed).decide(state, moment(), SUGGESTIONS) for seed in range(60)}
    assert drawn == {Ask(text, entry, 1 / len(ENTRIES)) for entry, text in ENTRIES}
    assert AtRandom(ENTRIES, 7).decide(state, moment(), []) == AtRandom(ENTRIES, 7).decide(
        state, moment(), []
    )


def test_random_never_draws_an_asked_entry() -> None:
    state = session(*[entry for entry, _ in ENTRIES[:5]])
    assert AtRandom(ENTRIES, 3).decide(state, moment(), SUGGESTIONS) == Ask(ENTRIES[5][1], ENTRIES[5][0])
