"""The outcome beside a question, as it develops."""

from bank.effects.record import Outcome
from kernelseek_tui.effects.developing import Developing, outcome_of
from kernelseek_tui.effects.words import outcome_words
from sessions.vocabulary import Layer
from tests.kernelseek_tui.effects.stories import TRACE, Story


def told() -> tuple[Story, int, str]:
    story = Story()
    story.kernel()
    story.scores(1.2, 1.41)
    asked = story.ask(decision=story.flag())
    at = len(story.events) - 2
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    story.scores(1.45, 1.52, 1.5, 1.51, 1.3)
    story.scores(9.0)
    return story, at, asked


def test_only_what_was_known_is_told() -> None:
    story, at, asked = told()
    said = {}
    for known in range(at, len(story.events)):
        found = outcome_of(story.state.as_of(known), asked)
        assert found is not None
        said.setdefault(outcome_words(found), known - at)
    assert list(said) == [
        "no number so far",
        "no number so far, host measured for the first time",
        "a number after 1 call, host measured for the first time",
        "a number after 1 call, host measured for the first time, best 1.41× → 1.45× in 1 evaluation",
        "a number after 1 call, host measured for the first time, best 1.41× → 1.52× in 2 evaluations",
        "a number after 1 call, host measured for the first time, best 1.41× → 1.52× in 3 evaluations",
        "a number after 1 call, host measured for the first time, best 1.41× → 1.52× in 4 evaluations",
        "a number after 1 call, host measured for the first time, best 1.41× → 1.52× in 5 evaluations, "
        "a slower one among them",
    ]


def test_a_finished_window_is_kept_and_a_past_state_still_knows_no_more() -> None:
    story, at, _ = told()
    developing = Developing()
    last = developing.at(story.state)
    assert list(last) == [at]
    early = developing.at(story.state.as_of(at + 2))
    assert early[at].calls is None
    assert developing.at(story.state) == last
    assert developing.at(story.state.as_of(at - 1)) == {}


def test_a_question_that_did_not_arrive_has_no_outcome() -> None:
    story = Story()
    asked = story.ask(decision=story.flag(), receipt="queued")
    assert outcome_of(story.state, asked) is None
    story.receive(asked, "failed")
    assert outcome_of(story.state, asked) is None


def test_words() -> None:
    assert outcome_words(Outcome(ended="message")) == "no number came back"
    full = Outcome(
        calls=3,
        first_measured=(Layer.KERNEL, Layer.MEMORY, Layer.HOST),
        claim="withdrawn",
        base=2.0,
        origin="judge",
        changes=(0.0,),
        regression="wrong",
    )
    assert outcome_words(full, "x", "->") == (
        "a number after 3 calls, kernel, memory and host measured for the first time, "
        "the claim was withdrawn, best still 2.00x after 1 evaluation, a wrong one among them"
    )
    printed = Outcome(base=0.01, origin="printed", changes=(0.5,))
    assert outcome_words(printed, "x", "->") == "no number so far, best 0.01 -> 0.0165 in 1 evaluation"
