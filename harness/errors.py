"""What the judge says when it cannot judge."""


class JudgeError(Exception):
    """No evaluation came about. The message is one sentence that says what to do.

    `exit_code` is what the process ends with: 60 for the judge's own surroundings (no compiler, no torch,
    no memory), 3 for an input that is refused (`docs/exit-codes.md`).
    """

    exit_code = 60


class RefusedCandidate(JudgeError):  # noqa: N818 - reads as what it is
    """The candidate is not something the judge will read: missing, a link, a folder, too big, not text."""

    exit_code = 3


class RefusedRequest(JudgeError):  # noqa: N818 - reads as what it is
    """The request names something that does not exist: an operator, set, scenario, baseline, device."""

    exit_code = 3


class RefusedRecord(JudgeError):  # noqa: N818 - reads as what it is
    """The file is not a record of this judge, or was changed since."""

    exit_code = 3
