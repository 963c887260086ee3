"""What a Python process looks like from outside: as any (`policy.runtime`), but Python imports late."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from harness.arena import Violation
from harness.policy.runtime import CLOCKS, Process, Watch, after_call, after_load, look


class PythonWatch(Watch):
    """Files of the interpreter, of torch and of the candidate's own extensions may be mapped at any time, and
    memory may become code, for torch writes some of its own. Threads and descriptors are as for any other."""

    def __init__(self, pid: int, folders: Sequence[str]) -> None:
        self._folders = [PurePosixPath(folder) for folder in folders if folder]
        super().__init__(pid)
        self._expected = self._now()

    def loaded(self, library: str) -> tuple[Violation, ...]:
        """See `Watch`."""
        before, self._expected = self._expected, self._now()
        if before is None or self._expected is None:
            return ()
        return tuple(after_load(before, self._expected, library))

    def called(self, what: str) -> tuple[Violation, ...]:
        """See `Watch`."""
        now = self._now()
        return () if now is None or self._expected is None else tuple(after_call(self._expected, now, what))

    def _now(self) -> Process | None:
        found = look(self._pid)
        if found is None:
            return None
        files = frozenset(name for name in found.files if not self._own(name))
        clock = tuple(one for one in found.code if one.file.startswith(CLOCKS))
        return replace(found, code=clock, files=files)

    def _own(self, name: str) -> bool:
        return any(PurePosixPath(name).is_relative_to(folder) for folder in self._folders)
