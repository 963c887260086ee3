"""The reference worker from the judge's side: started early, asked ahead, read in order."""

import contextlib
import itertools
import json
import os
import select
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.children import Children
from harness.dtypes import bits
from harness.errors import JudgeError
from harness.operator import Array, ReferenceScript, TensorSpec

SCRIPT = Path(__file__).with_name("reference_worker.py")
Truth = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Referenced:
    """The reference of one set of inputs, and the outputs of the trivial kernels where asked for.

    `error` says why there is none.
    """

    reference: Truth = field(default_factory=dict)
    trivial: dict[str, Truth] = field(default_factory=dict)
    error: str = ""


def modules_of(script: ReferenceScript) -> tuple[str, ...]:
    """What a script's interpreter must have: its `requires`, and numpy where torch is not among them."""
    extra = () if "torch" in script.requires else ("numpy",)
    return tuple(dict.fromkeys((*script.requires, *extra)))


class ReferenceWorker:
    """One worker process for one evaluation.

    `torch` is that module's version once the worker has answered, None for a reference without torch.
    """

    def __init__(
        self, script: ReferenceScript, *, python: str | None, children: Children, folder: Path, seconds: float
    ) -> None:
        self.python = python or sys.executable
        self.torch: str | None = None
        self._seconds, self._children = seconds, children
        self._folder = Path(tempfile.mkdtemp(dir=folder, prefix="reference-"))
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        self._ids = itertools.count()
        self._shapes: dict[int, dict[str, tuple[int, ...]]] = {}
        self._inputs: dict[int, list[Path]] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._buffer = bytearray()
        self._ready = False
        self._requires = modules_of(script)
        kind = "torch" if "torch" in self._requires else "numpy"
        env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        try:
            self._process = children.spawn(
                [self.python, "-I", str(SCRIPT), str(script.path.resolve()), kind],
                cwd=self._folder,
                env=env,
                stdin=-1,
                stdout=-1,
                stderr=self._stderr,
            )
        except OSError as error:
            raise JudgeError(
                f"The reference worker's Python {self.python} cannot be started ({error.strerror}); "
                f"name one that has {', '.join(self._requires)} with --python."
            ) from error

    def submit(
        self,
        params: Mapping[str, int | float],
        inputs: Mapping[str, Array],
        specs: Sequence[TensorSpec],
        *,
        trivial: bool,
    ) -> int:
        """Ask for a reference; `result` of the returned number waits for it."""
        number = next(self._ids)
        files: dict[str, tuple[str, str, list[int]]] = {}
        paths = []
        for spec in specs:
            if spec.role == "input":
                path = self._folder / f"{number}-{spec.name}.raw"
                bits(inputs[spec.name], spec.dtype).tofile(path)
                paths.append(path)
                files[spec.name] = (str(path), spec.dtype, list(spec.shape))
        outputs = {spec.name: spec.shape for spec in specs if spec.role == "output"}
        self._shapes[number], self._inputs[number] = outputs, paths
        message = {
            "id": number,
            "params": dict(params),
            "inputs": files,
            "outputs": {name: list(shape) for name, shape in outputs.items()},
            "trivial": trivial,
            "folder": str(self._folder),
        }
        self._wait_ready()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._died() from error
        return number

    def result(self, number: int) -> Referenced:
        """The answer to a `submit`. Raises `JudgeError` when the worker died or hung."""
        deadline = time.monotonic() + self._seconds
        while number not in self._answers:
            message = self._read(deadline)
            self._answers[message["id"]] = message
        answer = self._answers.pop(number)
        for path in self._inputs.pop(number):
            path.unlink(missing_ok=True)
        shapes = self._shapes.pop(number)
        if "error" in answer:
            return Referenced(error=str(answer["error"]))
        trivial = {name: _take(paths, shapes) for name, paths in answer.get("trivial", {}).items()}
        return Referenced(reference=_take(answer["reference"], shapes), trivial=trivial)

    def close(self) -> None:
        """End the worker."""
        self._children.kill(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._stderr.close()

    def _wait_ready(self) -> None:
        if self._ready:
            return
        message = self._read(time.monotonic() + self._seconds)
        if not message.get("ready"):
            raise JudgeError(
                f"The reference cannot be computed with {self.python} ({message.get('error')}); install "
                f"{', '.join(self._requires)} there, name another Python with --python, or mend the script."
            )
        self._ready = True
        if message.get("torch") is not None:
            self.torch = str(message["torch"])

    def _read(self, deadline: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise JudgeError(f"The reference worker did not answer within {self._seconds:g} s.")
            part = os.read(descriptor, 1 << 16)
            if not part:
                raise self._died()
            self._buffer += part
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise JudgeError("The reference worker said something that is not an answer.")
        return message

    def _died(self) -> JudgeError:
        self._stderr.seek(0)
        text = self._stderr.read()[-4000:].decode(errors="replace").strip()
        last = "".join(ch if ch.isprintable() else "?" for ch in text.splitlines()[-1])[:300] if text else ""
        what = f"The reference worker, run with {self.python}, ended early"
        todo = "" if self._ready else f" Name a Python that has {', '.join(self._requires)} with --python."
        return JudgeError(f"{what}{': ' + last.removesuffix('.') if last else ' and said nothing'}.{todo}")


def _take(paths: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]) -> Truth:
    """Read the worker's files and remove them."""
    truth: Truth = {}
    for name, path in paths.items():
        truth[name] = np.fromfile(path, dtype=np.float64).reshape(shapes[name])
        Path(path).unlink(missing_ok=True)
    return truth
