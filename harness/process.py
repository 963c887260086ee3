"""The judge as a process: `python -m harness.judge --request FILE --record FILE`.

stdout carries one JSON object a line: `{"kind": "progress", ...}` while it runs, and last either
`{"kind": "record", "path", "eval_id", "status", "summary", "exit_code"}` or
`{"kind": "error", "message", "exit_code"}`. The process ends with that exit code (without a goal's say);
130 when it was interrupted, and then no record is left.

With `--resume-from-stdin` the first line of stdin is `{"key": hex, "expected": ""}` (`partial.Keeping`): a
key in an argument, the environment or a file could be read by others. `{"kind": "kept", "line": signature}`
then tells of each finished step that is on the disk; the last is the next run's `expected`.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from harness.errors import JudgeError, RefusedRequest
from harness.judge import Resume, evaluate
from harness.request import EvaluationRequest, Progress
from harness.verdict import exit_code

INTERRUPTED = 130
MAX_RESUME_BYTES = 4096


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one evaluation; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m harness.judge", description="Judge one candidate.")
    parser.add_argument("--request", type=Path, required=True, help="a JSON file, see harness.request")
    parser.add_argument("--record", type=Path, required=True, help="where the record is written")
    parser.add_argument("--resume-from-stdin", action="store_true", help="stdin says how to go on")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    try:
        request = read_request(options.request)
        resume = read_resume(sys.stdin.buffer) if options.resume_from_stdin else None
        record = evaluate(request, _say_progress, place=lambda _: options.record, resume=resume)
        code = int(exit_code(record.status))
        _say(
            {
                "kind": "record",
                "path": str(options.record),
                "eval_id": record.eval_id,
                "status": record.status,
                "summary": record.summary,
                "exit_code": code,
            }
        )
        return code
    except JudgeError as error:
        _say({"kind": "error", "message": str(error), "exit_code": error.exit_code})
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED


def read_request(path: Path) -> EvaluationRequest:
    """Read a request file. Raises `RefusedRequest`."""
    try:
        return EvaluationRequest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise RefusedRequest(f"The request {path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise RefusedRequest(f"{path} is not a request: {where}: {first['msg']}.") from error


def read_resume(stream: IO[bytes]) -> Resume:
    """Read how a broken evaluation may be gone on with. Raises `RefusedRequest`."""
    try:
        said = json.loads(stream.readline(MAX_RESUME_BYTES))
        return Resume(bytes.fromhex(said["key"]), str(said["expected"]), _say_kept)
    except (ValueError, TypeError, KeyError) as error:
        raise RefusedRequest("stdin does not say how to resume: one line of JSON is wanted.") from error


def _say_kept(line: str) -> None:
    _say({"kind": "kept", "line": line})


def _say_progress(progress: Progress) -> None:
    _say({"kind": "progress", **asdict(progress)})


def _say(message: dict[str, Any]) -> None:
    try:
        print(json.dumps(message), flush=True)
    except BrokenPipeError:  # whoever started the judge is gone: nobody waits for the record
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise KeyboardInterrupt from None


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
