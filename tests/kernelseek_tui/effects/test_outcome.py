"""What followed a question, over journals in which it is known."""

import math

import pytest

from bank.effects.record import Outcome
from sessions import events as ev
from sessions.vocabulary import DecisionKind, Layer
from tests.kernelseek_tui.effects.stories import TRACE, Story


def plateau() -> tuple[Story, str]:
    """The kernel was edited and scored 1.20, 1.41, 1.40; then a plateau was seen."""
    story = Story()
    for mean in (1.2, 1.41, 1.4):
        story.kernel()
        story.scores(mean)
    return story, story.flag()


def after(story: Story) -> Outcome:
    return story.one().outcome


def test_a_number_from_a_new_layer_and_a_gain() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.run("cat candidate.cpp")
    story.run(TRACE, "cudaLaunchKernel  41.7 us a call")
    story.run("ls")
    story.says("The launch takes 41.7 µs of each call.")
    story.scores(1.45)
    story.scores(1.52)
    found = after(story)
    assert found.calls == 3
    assert found.measured == found.first_measured == found.first_visited == (Layer.HOST,)
    assert found.new_number
    assert (found.before, found.after) == (Layer.KERNEL, Layer.HOST)
    assert found.base == 1.41
    assert [round(1.41 * math.exp(change), 3) for change in found.changes] == [1.45, 1.52]
    assert (found.evaluations, found.regression, found.ended, found.origin) == (2, "none", "end", "judge")
    assert found.claim is None


def test_a_number_of_one_digit_counts_with_its_unit() -> None:
    for said, calls in (("It is 2 to 5 us a call.", 1), ("There are 5 of them.", None)):
        story, decision = plateau()
        story.ask(decision=decision)
        story.run(TRACE, "fill  2-5 us, every call")
        story.says(said)
        assert after(story).calls == calls


@pytest.mark.parametrize(
    ("command", "output", "said"),
    [
        (TRACE, "41.7 us", "I will look at the launch path."),  # no number told
        (TRACE, "41.7 us", "It takes 12.9 us."),  # another number
        ("cat notes.txt", "41.7 us", "It takes 41.7 us."),  # read, not measured
        (TRACE, "no data", "It takes 41.7 us."),  # nothing measured
    ],
)
def test_no_number_came_back(command: str, output: str, said: str) -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.run(command, output)
    story.says(said)
    assert after(story).calls is None
    assert not after(story).new_number


def test_a_number_told_before_the_measurement_or_by_a_subagent_does_not_count() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.says("I expect 41.7 us.")
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.", agent="sub")
    assert after(story).calls is None


def test_a_failed_measurement_measured_nothing() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    call = f"c{len(story.events)}"
    story.call(TRACE, call)
    story.take(ev.ToolResult(id=story.next_id, call=call, output="41.7 us", is_error=True))
    story.says("It is 41.7 us.")
    assert after(story).measured == ()
    assert after(story).calls is None


def test_an_evaluation_that_fails_its_goal_measured_all_the_same() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    call = f"c{len(story.events)}"
    story.call("kernelseek evaluate", call)
    printed = "geomean 1.52x over start; goal unmet"
    story.take(ev.ToolResult(id=story.next_id, call=call, output=printed, is_error=True))
    story.says("It is 1.52x now.")
    assert after(story).calls == 1


def test_a_layer_that_was_measured_before_is_not_new() -> None:
    story = Story()
    story.run(TRACE, "40.2 us")
    story.scores(1.0)
    story.ask(decision=story.flag())
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    found = after(story)
    assert found.measured == (Layer.HOST,)
    assert (found.first_measured, found.first_visited, found.new_number) == ((), (), False)
    assert found.calls == 1


def test_a_layer_that_was_only_edited_is_measured_for_the_first_time() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.run("ncu ./bench", "occupancy 43.1 %")
    story.says("Occupancy is 43.1 %.")
    found = after(story)
    assert found.first_measured == (Layer.KERNEL,)
    assert found.first_visited == ()
    assert found.new_number


def test_running_the_benchmark_measures_no_new_layer() -> None:
    story = Story()
    story.ask(decision=story.flag(DecisionKind.SCOPE))
    story.run("./bench", "latency 41.7 us")
    story.says("A call takes 41.7 us.")
    found = after(story)
    assert (found.calls, found.measured, found.new_number) == (1, (), False)
    assert (found.base, found.changes) == (None, ())


def test_the_window_ends_with_the_fifth_evaluation() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.scores(1.42, 1.43, 1.44, 1.45, 1.46)
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    story.scores(9.0)
    found = after(story)
    assert (found.ended, found.evaluations, found.calls) == ("evaluations", 5, None)
    assert found.change == pytest.approx(math.log(1.46 / 1.41))


def test_the_window_ends_before_the_next_message() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.scores(1.5)
    story.human("Go on.")
    story.scores(3.0)
    found = after(story)
    assert (found.ended, found.evaluations) == ("message", 1)
    assert found.change == pytest.approx(math.log(1.5 / 1.41))


def test_the_window_ends_after_sixty_calls() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    for _ in range(60):
        story.run("ls")
    assert after(story).ended == "end"
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    assert (after(story).ended, after(story).calls) == ("calls", None)


def test_a_question_counts_from_its_delivery() -> None:
    story, decision = plateau()
    asked = story.ask(decision=decision, receipt="queued")
    story.scores(1.6)
    story.receive(asked, "delivered")
    story.scores(1.7)
    found = after(story)
    assert found.base == 1.6
    assert [round(math.exp(change), 4) for change in found.changes] == [round(1.7 / 1.6, 4)]


def test_the_best_never_falls_and_wrong_or_slower_is_told() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.scores(1.3)
    found = after(story)
    assert found.changes == (0.0,)
    assert found.regression == "slower"
    story.scores(1.9, status="WRONG")
    assert after(story).changes == (0.0, 0.0)
    assert after(story).regression == "wrong"
    within_noise, decision = plateau()
    within_noise.ask(decision=decision)
    within_noise.scores(1.395)  # [1.385, 1.405] meets [1.39, 1.41]
    assert after(within_noise).regression == "none"


def test_only_comparable_evaluations_count() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    story.evaluation(7.0, scenario_set="other", ratios={"a": 7.0})
    story.scores(1.5)
    found = after(story)
    assert found.evaluations == 1
    assert found.change == pytest.approx(math.log(1.5 / 1.41))


def test_a_question_at_the_end_of_the_journal() -> None:
    story, decision = plateau()
    story.ask(decision=decision)
    found = after(story)
    assert found == Outcome(before=Layer.KERNEL, base=1.41, origin="judge", ended="end")


@pytest.mark.parametrize(
    ("said", "became"),
    [
        ("I withdraw the limit: it was not real. The trace says 41.7 us.", "withdrawn"),
        ("The trace says 41.7 us. The limit stands.", "upheld"),
        ("I will look.", "open"),
    ],
)
def test_what_became_of_a_claim(said: str, became: str) -> None:
    story, _ = plateau()
    claim = story.says("This is the hardware limit; no further speedup is possible.")
    story.ask(decision=story.flag(DecisionKind.CLAIMED_LIMIT, claim))
    story.run(TRACE, "41.7 us")
    story.says(said)
    assert after(story).claim == became


def test_a_claim_that_is_beaten_is_refuted_and_one_that_had_fallen_before_is_neither() -> None:
    story, _ = plateau()
    claim = story.says("This is the hardware limit; no further speedup is possible.")
    decision = story.flag(DecisionKind.CLAIMED_LIMIT, claim)
    story.ask(decision=decision)
    story.scores(1.6)
    assert after(story).claim == "refuted"
    late, _ = plateau()
    claim = late.says("This is the hardware limit; no further speedup is possible.")
    decision = late.flag(DecisionKind.CLAIMED_LIMIT, claim)
    late.scores(1.6)
    late.ask(decision=decision)
    late.scores(1.7)
    assert after(late).claim == "fallen_before"
