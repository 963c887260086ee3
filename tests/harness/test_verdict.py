import pytest

from harness.verdict import WRONG_STATUSES, GoalOutcome, Outcome, Status, exit_code, outcome


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([Status.CORRECT, Status.CORRECT], Outcome.CORRECT),
        ([Status.CORRECT, Status.UNSUPPORTED], Outcome.UNSUPPORTED),
        ([Status.UNSUPPORTED, Status.NOT_ADMITTED], Outcome.INFRASTRUCTURE),
        ([Status.NOT_ADMITTED, Status.TIMEOUT], Outcome.TIMEOUT),
        ([Status.TIMEOUT, Status.NAN, Status.NOT_RUN], Outcome.WRONG),
        ([Status.NOT_RUN], Outcome.INFRASTRUCTURE),
        ([Status.WRONG, Status.POLICY, Status.NOT_RUN], Outcome.POLICY),
        ([], Outcome.INFRASTRUCTURE),
    ],
)
def test_the_worst_that_is_proven_comes_first(statuses: list[Status], expected: Outcome) -> None:
    assert outcome(statuses) is expected


@pytest.mark.parametrize("status", sorted(WRONG_STATUSES - {Status.POLICY}))
def test_every_way_of_being_wrong_is_wrong(status: Status) -> None:
    assert exit_code(outcome([Status.CORRECT, status])) == 20


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.CORRECT])
def test_no_single_status_but_correct_ends_in_zero(status: Status) -> None:
    assert exit_code(outcome([Status.CORRECT, status]), GoalOutcome.MET) != 0


@pytest.mark.parametrize(
    ("result", "goal", "code"),
    [
        (Outcome.CORRECT, None, 0),
        (Outcome.CORRECT, GoalOutcome.MET, 0),
        (Outcome.CORRECT, GoalOutcome.UNMET, 10),
        (Outcome.CORRECT, GoalOutcome.AMBIGUOUS, 11),
        (Outcome.UNSUPPORTED, None, 10),
        (Outcome.UNSUPPORTED, GoalOutcome.MET, 10),
        (Outcome.WRONG, GoalOutcome.MET, 20),
        (Outcome.BUILD_FAILED, None, 30),
        (Outcome.TIMEOUT, GoalOutcome.UNMET, 40),
        (Outcome.POLICY, None, 50),
        (Outcome.INFRASTRUCTURE, GoalOutcome.MET, 60),
    ],
)
def test_exit_codes(result: Outcome, goal: GoalOutcome | None, code: int) -> None:
    assert exit_code(result, goal) == code


def test_every_outcome_has_an_exit_code() -> None:
    assert {int(exit_code(result)) for result in Outcome} == {0, 10, 20, 30, 40, 50, 60}
