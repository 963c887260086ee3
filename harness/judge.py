"""One evaluation from candidate to record; as a process `python -m harness.judge` (see `harness.process`)."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.candidate import freeze
from harness.children import children
from harness.correctness.reference import ReferenceWorker
from harness.device import open_device
from harness.evaluation import Evaluation
from harness.looked_up import look_up
from harness.operator import Operator
from harness.operators import load_operator
from harness.protocol import Protocol
from harness.record.files import write_record
from harness.record.record import Record
from harness.request import EvaluationRequest, Progress
from harness.resume.partial import Keeping, Partial

STALE_SECONDS = 3600
LOCK = "lock"
"""Held by the judge whose scratch folder it lies in; the kernel lets go of it however the judge ends."""


@dataclass(frozen=True, slots=True)
class Resume:
    """How a broken evaluation may be gone on with (`partial.Keeping` says what each is)."""

    key: bytes | None = None
    expected: str = ""
    told: Callable[[str], None] = lambda _: None


def evaluate(
    request: EvaluationRequest,
    progress: Callable[[Progress], None] = lambda _: None,
    *,
    operator: Operator | None = None,
    protocol: Protocol | None = None,
    place: Callable[[str], Path] | None = None,
    resume: Resume | None = None,
) -> Record:
    """Judge a candidate.

    `operator` replaces the registered one of that name, `protocol` the constants. Whatever the candidate
    does ends in a record; raises `JudgeError` only where nothing could be judged. Every process it started
    has ended when it returns, however it returns.

    `place(eval_id)` is where the record is written. With it, what is finished is kept for the next
    evaluation should this one break off, until the record is there.
    """
    rules = protocol or Protocol()
    task = look_up(request, operator or load_operator(request.operator))
    started = datetime.now(UTC)
    frozen = freeze(request.candidate, task.candidates)
    with _scratch() as folder, children(adopts=True) as mine:
        device = open_device(
            request.device,
            children=mine,
            folder=folder,
            cache=task.cache,
            protocol=rules,
            python=request.python,
        )
        worker = ReferenceWorker(
            task.operator.reference,
            python=request.python,
            children=mine,
            folder=folder,
            seconds=rules.reference_seconds,
        )
        keeping = None
        if place is not None:
            resume = resume or Resume()
            keeping = Keeping(task.partial, resume.key, resume.expected, request.fresh, resume.told)
        evaluation = Evaluation(task, frozen, device, worker, rules, progress, started, keeping)
        try:
            record = evaluation.run()
            if place is not None:
                _write(record, place(record.eval_id), evaluation.partial)
            return record
        finally:
            if evaluation.partial is not None:
                evaluation.partial.close()


def _write(record: Record, path: Path, partial: Partial | None) -> None:
    """The record first, then the removal of what it was made from: a judge that dies between the two leaves
    a record, and lines that name it."""
    if partial is not None:
        partial.ending(record.eval_id, path)
    write_record(record, path)
    if partial is not None:
        partial.remove()


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for tensors on their way to the reference worker, in memory where there is such a place."""
    memory = Path("/dev/shm")
    place = str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None
    _sweep(Path(place or tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(dir=place, prefix=f"kernelseek-{os.getpid()}-"))
    try:
        with (folder / LOCK).open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Remove the scratch folders of judges that were killed: those whose lock nobody holds.

    One without a lock may be in the making, so it has to be old.
    """
    for folder in place.glob("kernelseek-*-*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            try:
                descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            except FileNotFoundError:
                if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


if __name__ == "__main__":
    from harness.process import main

    raise SystemExit(main())
