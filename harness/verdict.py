"""The judge's words and the exit codes they end in."""

from enum import IntEnum, StrEnum


class Status(StrEnum):
    """What became of one scenario, or of one input set of it.

    CORRECT and UNSUPPORTED are honest answers; the rest of the first group are ways of being wrong; the
    second group says that the scenario was not judged, through no fault of the candidate.
    """

    CORRECT = "CORRECT"
    UNSUPPORTED = "UNSUPPORTED"
    WRONG = "WRONG"
    NAN = "NAN"
    UNWRITTEN = "UNWRITTEN"
    MUTATED_INPUT = "MUTATED_INPUT"
    REDZONE = "REDZONE"
    CRASH = "CRASH"
    EXITED = "EXITED"
    TIMEOUT = "TIMEOUT"
    POLICY = "POLICY"
    IMPOSSIBLE = "IMPOSSIBLE"

    NOT_ADMITTED = "NOT_ADMITTED"
    INVALID_REFERENCE = "INVALID_REFERENCE"
    NOT_RUN = "NOT_RUN"


WRONG_STATUSES = frozenset(
    {
        Status.WRONG,
        Status.NAN,
        Status.UNWRITTEN,
        Status.MUTATED_INPUT,
        Status.REDZONE,
        Status.CRASH,
        Status.EXITED,
        Status.POLICY,
        Status.IMPOSSIBLE,
    }
)
"""A runnable scenario that ended so makes the evaluation's total 0 (as does TIMEOUT)."""


class Outcome(StrEnum):
    """What became of the whole evaluation."""

    CORRECT = "CORRECT"
    UNSUPPORTED = "UNSUPPORTED"
    WRONG = "WRONG"
    TIMEOUT = "TIMEOUT"
    BUILD_FAILED = "BUILD_FAILED"
    POLICY = "POLICY"
    INFRASTRUCTURE = "INFRASTRUCTURE"


class Speed(StrEnum):
    """Where an interval lies relative to 1 ± floor. A ratio is baseline time over candidate time."""

    FASTER = "FASTER"
    SAME = "SAME"
    SLOWER = "SLOWER"
    AMBIGUOUS = "AMBIGUOUS"


class GoalOutcome(StrEnum):
    """What the goal said about a record. AMBIGUOUS: intervals are too wide and nothing else is unmet."""

    MET = "MET"
    UNMET = "UNMET"
    AMBIGUOUS = "AMBIGUOUS"


class VerdictCode(IntEnum):
    """How `evaluate`, `goal check`, `demo` and headless `steer` end."""

    GOAL_MET = 0
    NOT_MET = 10
    AMBIGUOUS = 11
    WRONG = 20
    BUILD = 30
    TIMEOUT = 40
    POLICY = 50
    INFRASTRUCTURE = 60


_OF_OUTCOME = {
    Outcome.INFRASTRUCTURE: VerdictCode.INFRASTRUCTURE,
    Outcome.POLICY: VerdictCode.POLICY,
    Outcome.BUILD_FAILED: VerdictCode.BUILD,
    Outcome.WRONG: VerdictCode.WRONG,
    Outcome.TIMEOUT: VerdictCode.TIMEOUT,
    Outcome.UNSUPPORTED: VerdictCode.NOT_MET,
}


def outcome(statuses: list[Status]) -> Outcome:
    """The outcome of an evaluation that was built and run.

    The worst thing proven about the candidate comes first: a broken rule is POLICY, one wrong scenario is
    WRONG whatever else happened, then TIMEOUT. Only then does a scenario that could not be judged make the
    outcome INFRASTRUCTURE, and only with none of these does an unsupported one count. No scenario at all is
    INFRASTRUCTURE: an empty list is never a success.
    """
    seen = set(statuses)
    if Status.POLICY in seen:
        return Outcome.POLICY
    if seen & WRONG_STATUSES:
        return Outcome.WRONG
    if Status.TIMEOUT in seen:
        return Outcome.TIMEOUT
    if not seen or seen & {Status.NOT_ADMITTED, Status.INVALID_REFERENCE, Status.NOT_RUN}:
        return Outcome.INFRASTRUCTURE
    if Status.UNSUPPORTED in seen:
        return Outcome.UNSUPPORTED
    return Outcome.CORRECT


def exit_code(result: Outcome, goal: GoalOutcome | None = None) -> VerdictCode:
    """The exit code of an evaluation, with what the goal said about it where there is a goal.

    A goal can only be met by an evaluation whose every scenario is CORRECT, so for any other outcome the
    outcome decides. Without a goal, all correct is 0.
    """
    if result is not Outcome.CORRECT:
        return _OF_OUTCOME[result]
    if goal is None or goal is GoalOutcome.MET:
        return VerdictCode.GOAL_MET
    return VerdictCode.AMBIGUOUS if goal is GoalOutcome.AMBIGUOUS else VerdictCode.NOT_MET
