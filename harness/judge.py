"""One evaluation from candidate to record; as a process `python -m harness.judge` (see `harness.process`)."""

import contextlib
import fcntl
import fnmatch
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from harness.candidate import freeze
from harness.children import children
from harness.device import open_device
from harness.errors import RefusedRequest
from harness.evaluation import Evaluation, Task
from harness.home import cache_folder
from harness.operator import Operator
from harness.operators import load_operator
from harness.protocol import Protocol, blocks_of
from harness.record import Record
from harness.reference import ReferenceWorker
from harness.request import EvaluationRequest, Progress
from harness.sides import find_baseline

STALE_SECONDS = 3600
LOCK = "lock"
"""Held by the judge whose scratch folder it lies in; the kernel lets go of it however the judge ends."""


def evaluate(
    request: EvaluationRequest,
    progress: Callable[[Progress], None] = lambda _: None,
    *,
    operator: Operator | None = None,
    protocol: Protocol | None = None,
) -> Record:
    """Judge a candidate.

    `operator` replaces the registered one of that name, `protocol` the constants. Whatever the candidate
    does ends in a record; raises `JudgeError` only where nothing could be judged. Every process it started
    has ended when it returns, however it returns.
    """
    rules = protocol or Protocol()
    task = look_up(request, operator or load_operator(request.operator))
    started = datetime.now(UTC)
    frozen = freeze(request.candidate, request.candidates or task.cache / "candidates")
    with _scratch() as folder, children(adopts=True) as mine:
        device = open_device(request.device, children=mine, folder=folder, cache=task.cache, protocol=rules)
        worker = ReferenceWorker(
            task.operator.reference,
            python=request.python,
            children=mine,
            folder=folder,
            seconds=rules.reference_seconds,
        )
        return Evaluation(task, frozen, device, worker, rules, progress, started).run()


def look_up(request: EvaluationRequest, operator: Operator) -> Task:
    """Find everything a request names. Raises `RefusedRequest`."""
    name = request.scenario_set or operator.default_set
    if name not in operator.sets:
        raise RefusedRequest(
            f"The operator {operator.name} has no set {name!r}; it has {', '.join(sorted(operator.sets))}."
        )
    scenarios = tuple(operator.sets[name])
    if request.scenarios is not None:
        scenarios = tuple(one for one in scenarios if fnmatch.fnmatchcase(one.id, request.scenarios))
        if not scenarios:
            known = ", ".join(one.id for one in operator.sets[name])
            raise RefusedRequest(f"No scenario of {name} matches {request.scenarios!r}; it has {known}.")
    return Task(
        request=request,
        operator=operator,
        scenario_set=name,
        scenarios=scenarios,
        baseline=find_baseline(operator, request.baseline),
        blocks=request.blocks or blocks_of(name),
        cache=cache_folder(request.cache),
    )


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
