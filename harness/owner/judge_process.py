"""The judge from outside: started as a process, listened to, and ended with all it started."""

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from harness.outside import is_stopped
from harness.owner.files import POLL_SECONDS, OwnerError
from harness.request import Progress

# -P: the judge must not import what an agent may have put into the folder it is started from.
JUDGE = (sys.executable, "-P", "-m", "harness.judge")
CANCELLED = "The evaluation was cancelled: whoever asked for it is gone."
PROGRESS: TypeAdapter[Progress] = TypeAdapter(Progress)
STOPPED = "The judge was stopped by a signal from outside, so it was ended; evaluate again."
STALL_SECONDS = 900.0
"""A judge that works says something every few seconds; its longest silences (a build, a reference, one timed
pair) are a few minutes by their own deadlines."""
_GRACE_SECONDS = 3.0
_STOPPED_POLLS = 20


@dataclass
class Kept:
    """What an owner holds in memory, and nowhere else, of an evaluation that has no record yet.

    `line` is the signature of the last finished step that its judge told of.
    """

    key: bytes = field(default_factory=secrets.token_bytes, repr=False)
    line: str = ""


async def run_judge(
    command: Sequence[str],
    work: Path,
    stop: Callable[[], bool],
    tell: Callable[[Progress], None],
    kept: Kept | None = None,
) -> OwnerError:
    """Judge `work/request.json` into `work/record.json`, going on with what is `kept` of a broken evaluation.

    Returns, when the judge has ended, the error to raise if it left no record. Raises `OwnerError` with 130
    as soon as `stop` says so; the judge has ended then too, as it has when this task is cancelled.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        *("--request", str(work / "request.json"), "--record", str(work / "record.json")),
        *(() if kept is None else ("--resume-from-stdin",)),
        stdin=asyncio.subprocess.DEVNULL if kept is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=work,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    heard = _Heard(kept)
    told = asyncio.ensure_future(_listen(process.stdout, tell, heard))
    cried = asyncio.ensure_future(_last_line(process.stderr))
    ended = asyncio.ensure_future(process.wait())
    stopped = 0
    try:
        if kept is not None and process.stdin is not None:
            said = {"key": kept.key.hex(), "expected": kept.line}
            process.stdin.write(json.dumps(said).encode() + b"\n")  # fits any pipe: nothing to wait for
            process.stdin.close()
        while not (await asyncio.wait({ended}, timeout=POLL_SECONDS))[0]:
            if stop():
                raise OwnerError(CANCELLED, 130)
            stopped = stopped + 1 if is_stopped(process.pid) else 0
            if stopped >= _STOPPED_POLLS:
                raise OwnerError(STOPPED, 60)
            if time.monotonic() - heard.at > STALL_SECONDS:
                raise OwnerError(
                    f"The judge said nothing for {STALL_SECONDS / 60:g} minutes, so it was ended; "
                    "evaluate again.",
                    60,
                )
        words = f"The judge ended with code {ended.result()} and no record"
        return await told or OwnerError(f"{words}: {await cried or 'it said nothing'}")
    finally:
        await _end(process)
        for task in (told, cried, ended):
            task.cancel()


@dataclass
class _Heard:
    """When the judge last said something."""

    kept: Kept | None = None
    at: float = field(default_factory=time.monotonic)


async def _listen(
    lines: asyncio.StreamReader, tell: Callable[[Progress], None], heard: _Heard
) -> OwnerError | None:
    """Pass on the progress (`harness.process` says what the lines are); the error at the end, if any."""
    failed = None
    async for line in lines:
        heard.at = time.monotonic()
        said = _parse(line)
        if isinstance(said, Progress):
            tell(said)
        elif isinstance(said, str):
            if heard.kept is not None:
                heard.kept.line = said
        elif said is not None:
            failed = said
    return failed


def _parse(line: bytes) -> Progress | OwnerError | str | None:
    """A line of the judge; None for what says nothing we act on, or is none of ours."""
    try:
        said = json.loads(line)
        kind = said.pop("kind", "")
        if kind == "progress":
            return PROGRESS.validate_python(said)
        if kind == "kept":
            return str(said["line"])
        if kind == "error":
            return OwnerError(str(said["message"]), int(said["exit_code"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return None


async def _last_line(stream: asyncio.StreamReader) -> str:
    """The last line said, in bounded memory."""
    tail = b""
    while chunk := await stream.read(4096):
        tail = (tail + chunk)[-4096:]
    lines = [line.strip() for line in tail.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the judge: asked first, so that it ends its own runners, then made to, with its group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
