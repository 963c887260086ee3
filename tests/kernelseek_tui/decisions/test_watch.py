from kernelseek_tui.decisions.claimed_limit import ClaimedLimit
from kernelseek_tui.decisions.watch import AFTER_QUESTION, Watch
from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.decisions.told import Told

LIMIT = "I believe this is the hardware limit."


def _kinds(told: Told) -> list[DecisionKind]:
    return [point.decision for point in told.points]


def test_a_draft_names_what_raised_it() -> None:
    told = Told(watch=Watch())
    said = told.says(LIMIT)
    (point,) = told.points
    assert point.parent == said
    assert point.evidence[0].event == said
    assert point.id == f"{said}/claimed_limit"
    assert point.detector_version == ClaimedLimit.version


def test_waits_for_a_running_command_and_then_speaks_once() -> None:
    told = Told(watch=Watch())
    for index in range(3):
        told.call("kernelseek evaluate", f"c{index}")
        told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2})
        told.result(call=f"c{index}")
    told.call("kernelseek evaluate", "last")
    told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2})
    assert told.points == []
    told.result(call="last")
    assert _kinds(told) == [DecisionKind.PLATEAU]


def test_waits_for_a_subagent() -> None:
    told = Told(watch=Watch())
    told.take(ev.Subagent(id="s0", subagent="x", phase="started"))
    told.says(LIMIT)
    assert told.points == []
    told.take(ev.Subagent(id="s1", subagent="x", phase="ended"))
    assert _kinds(told) == [DecisionKind.CLAIMED_LIMIT]


def test_a_call_without_a_result_does_not_silence_the_session() -> None:
    told = Told(watch=Watch())
    told.call("sleep 1", "lost", message="m1")
    told.says(LIMIT, message="m2")
    assert _kinds(told) == [DecisionKind.CLAIMED_LIMIT]


def test_the_end_of_the_turn_is_quiet_whatever_ran() -> None:
    told = Told(watch=Watch())
    told.call("make", "lost", message="m1")
    told.says(LIMIT, message="m1")
    assert told.points == []
    told.turn_ended()
    assert _kinds(told) == [DecisionKind.CLAIMED_LIMIT]


def test_what_no_longer_holds_is_dropped() -> None:
    told = Told(watch=Watch())
    told.call("kernelseek evaluate", "c")
    told.says(LIMIT)
    told.evaluation(2.0, ratios={"a": 2.0})
    told.goal(True)
    told.result(call="c")
    assert told.points == []


def test_a_repeated_claim_is_one_moment_until_someone_speaks() -> None:
    told = Told(watch=Watch())
    for _ in range(20):
        told.says(LIMIT)
    assert len(told.points) == 1
    told.human("Are you sure?")
    told.says(LIMIT)
    assert len(told.points) == 2


def test_quiet_after_a_question() -> None:
    told = Told(watch=Watch())
    told.says(LIMIT)
    told.asked()
    told.says(LIMIT)
    assert len(told.points) == 1
    for _ in range(AFTER_QUESTION):
        told.says("Measuring.")
    assert len(told.points) == 2


def test_an_evaluation_answers_a_question_and_ends_the_quiet() -> None:
    told = Told(watch=Watch())
    told.asked()
    told.evaluation(1.1, ratios={"a": 1.1})
    told.says(LIMIT)
    assert _kinds(told) == [DecisionKind.CLAIMED_LIMIT]


def test_a_plateau_cools_down_in_evaluations() -> None:
    told = Told(watch=Watch())
    for _ in range(4):
        told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2})
    assert len(told.points) == 1
    for _ in range(200):
        told.says("Thinking.")
    for _ in range(19):
        told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2})
    assert len(told.points) == 1
    told.evaluation(1.1, ratios={"a": 2.0, "b": 0.2})
    assert len(told.points) == 2


def test_what_nobody_takes_up_becomes_rarer_until_somebody_speaks() -> None:
    told = Told(watch=Watch())
    stalled = {"a": 2.0, "b": 0.2}
    for _ in range(4 + 20 + 39):
        told.evaluation(1.1, ratios=stalled)
    assert len(told.points) == 2  # a second one after 20, a third one not before 40 more
    told.human("Go on.")
    told.evaluation(1.1, ratios=stalled)
    assert len(told.points) == 3


def test_a_surer_finding_does_not_wait_for_the_cool_down() -> None:
    told = Told(watch=Watch())
    told.run("python check.py", "FAIL: tolerance exceeded")
    told.says("That is just bf16 rounding error.")
    diff = "--- a/check.py\n+++ b/check.py\n@@ -1 +1 @@\n context\n-atol = 1e-3\n+atol = 1e-1\n"
    told.take(ev.Edit(id=told.next_id, path="check.py", diff=diff))
    told.says("The difference is just bf16 rounding error.")
    assert [(point.decision.value, point.confidence) for point in told.points] == [
        ("explained_anomaly", 0.6),
        ("explained_anomaly", 0.9),
    ]


def test_our_own_record_changes_nothing() -> None:
    plain, noisy = Told(watch=Watch()), Told(watch=Watch())
    for index in range(150):
        for told in (plain, noisy):
            told.take(ev.AgentText(id=f"t{index}", text=LIMIT))
        noisy.take(ev.Note(id=f"n{index}", text="noted"))
        noisy.take(ev.Claim(id=f"c{index}", claim="limit", quote=LIMIT))
    assert [point.parent for point in plain.points] == [point.parent for point in noisy.points]
    assert len(plain.points) == 5


def test_what_still_waits_at_the_end_is_not_lost() -> None:
    watch = Watch()
    told = Told(watch=watch)
    told.call("make")
    told.says(LIMIT)
    assert told.points == []
    assert [point.decision for point in watch.close(told.state)] == [DecisionKind.CLAIMED_LIMIT]
    assert watch.close(told.state) == []


def test_soft_findings_keep_quiet_in_a_crowd() -> None:
    told = Told(watch=Watch())
    for n in range(12):  # not about speed: each claim is a soft one, and each message reopens the kind
        told.human(f"Please write page {n}.")
        told.says("Done. The page is there.")
    assert len(told.points) == 3
    for _ in range(100):
        told.says("Writing.")
    told.human("And the last page.")
    told.says("Done. The page is there.")
    assert len(told.points) == 4
