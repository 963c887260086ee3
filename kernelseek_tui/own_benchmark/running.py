"""Runs a user's own benchmark and keeps what it said, one file a run."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.children import children
from harness.record.files import new_eval_id
from harness.workspace import StorageError
from kernelseek_tui.own_benchmark.declared import OwnBenchmark, OwnBenchmarkError
from kernelseek_tui.own_benchmark.reading import Unreadable, read_output
from sessions import events as ev

MAX_OUTPUT = 4 << 20
BEAT_SECONDS = 1.0
READ_SECONDS = 20.0
WRONG = "WRONG"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run. `evaluation` is None where nothing was read, and `why` says why; `output` is stdout's end."""

    evaluation: ev.Evaluation | None
    why: str
    output: str
    returncode: int | None
    path: Path | None = None
    notes: tuple[str, ...] = ()


def run_benchmark(own: OwnBenchmark, beat: Callable[[float], None] = lambda _: None) -> Ran:
    """Run the command in the project's folder and keep what it said; `beat(seconds)` now and then.

    The command sees the caller's environment and terminal's stderr; it and what it started in its group are
    ended at its time limit and on Ctrl-C. Raises `OwnBenchmarkError` where it cannot be started and
    `StorageError` where the result cannot be kept.
    """
    name, started, began = new_eval_id(), datetime.now(UTC), time.monotonic()
    with children() as mine, tempfile.TemporaryFile() as stdout:
        try:
            process = mine.spawn(
                ["/bin/sh", "-c", own.command.command],
                cwd=own.root,
                env=os.environ,
                stdout=stdout,
                stderr=2,
            )
        except OSError as error:
            raise OwnBenchmarkError(f"The benchmark cannot be started: {error.strerror}.") from error
        returncode = None
        while returncode is None:
            spent = time.monotonic() - began
            try:
                returncode = process.wait(max(0.0, min(BEAT_SECONDS, own.command.seconds - spent)))
            except subprocess.TimeoutExpired:
                if time.monotonic() - began >= own.command.seconds:
                    break
                beat(time.monotonic() - began)
        seconds = time.monotonic() - began
        mine.kill(process)
        size = stdout.seek(0, os.SEEK_END)
        stdout.seek(max(0, size - MAX_OUTPUT))
        text = stdout.read().decode(errors="replace")
    if returncode is None:
        why = f"The benchmark did not end within {own.command.seconds:g} s and was ended."
        return Ran(None, why, text, None)
    made: ev.Evaluation | None = None
    why, notes = "", tuple[str, ...]()
    try:
        with _within(READ_SECONDS):
            cut = size > MAX_OUTPUT
            read = read_output(own.command, text, name=name, time=started, seconds=seconds, cut=cut)
        made, notes = read.evaluation, read.notes
    except Unreadable as error:
        why = str(error)
    if returncode != 0 and (made is None or made.status != WRONG):
        # Figures of a run that failed are none; one that says that it is wrong ends so on purpose.
        return Ran(None, f"The benchmark ended with exit code {returncode}.", text, returncode)
    return Ran(made, why, text, returncode, None if made is None else _keep(own, made), notes)


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `Unreadable` after so long: a regular expression can take for ever. On the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_: int, __: object) -> None:
        raise Unreadable(
            f"Nothing was read: it took more than {seconds:g} s; simplify the expressions in "
            ".kernelseek/benchmark.toml."
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _keep(own: OwnBenchmark, made: ev.Evaluation) -> Path:
    """By atomic rename: whoever watches the folder sees the whole file or none."""
    path = own.results / f"{made.evaluation}.json"
    try:
        own.results.mkdir(parents=True, exist_ok=True)
        part = own.results / f".{made.evaluation}.part"
        part.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise StorageError(f"The result could not be kept in {own.results}: {error.strerror}.") from error
    return path
