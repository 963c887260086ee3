"""Every exit code of `kernelseek`, in one place; documented in docs/exit-codes.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process ended with. Codes from 10 up are the judge's verdict (`harness.verdict`)."""

    OK = 0
    DEFECT = 1
    USAGE = 2
    INPUT_REFUSED = 3
    STORAGE = 4
    NOT_MET = 10
    AMBIGUOUS = 11
    WRONG = 20
    BUILD = 30
    TIMEOUT = 40
    POLICY = 50
    INFRASTRUCTURE = 60
    INTERRUPTED = 130
