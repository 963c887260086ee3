"""What can go wrong with a session, each with the exit code that a command ends with."""


class SessionError(Exception):
    """Anything a caller shows as one sentence; `exit_code` is what the command ends with."""

    exit_code = 1


class RefusedInput(SessionError):  # noqa: N818 - a refusal, in the words of the exit codes
    """The file is not a session we read; the sentence says what was seen instead."""

    exit_code = 3


class StorageError(SessionError):
    """The journal could not be written. Nothing is lost in memory: the caller may try again."""

    exit_code = 4


class LockedSession(StorageError):  # noqa: N818 - as above
    """Another process owns the session; `pid` is its id where it left one."""

    def __init__(self, message: str, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid
