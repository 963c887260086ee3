"""Before a report is redacted: whom its sessions name, so that a name known late is also found early."""

from pathlib import Path

from kernelseek_tui.reading import EVERY, Progress
from kernelseek_tui.reports.build import name_of
from sessions.archive.redactor import Redactor
from sessions.transcript import TranscriptStream


def learn_session(
    path: Path, redactor: Redactor, progress: Progress | None = None, mapping: Path | None = None
) -> None:
    """Tell `redactor` whom a session names, before any session is reported on. Raises as `session_report`."""
    stream = TranscriptStream(path, mapping=mapping)
    redactor.learn(name_of(path))
    for number, event in enumerate(stream):
        redactor.learn_event(event)
        if progress is not None and number % EVERY == 0:
            progress(stream.accounts[0].entries)
