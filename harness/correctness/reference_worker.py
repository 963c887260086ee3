"""Computes an operator's reference in float64. Run by path, under any Python that has what the script needs.

usage: python -I reference_worker.py REFERENCE_SCRIPT torch|numpy

The second argument says what tensors the script gets. With `numpy` no torch is loaded, bfloat16 and float16
inputs are widened to float32 from their raw bits, which loses nothing, and outputs may be of any real type.
With `torch` every input has its own dtype.

Imports none of our packages. Reads one JSON request a line on stdin, answers one a line on stdout; tensors
travel as raw files. Ends when stdin does. The judge's half is `harness/correctness/reference.py`.
"""

import importlib.util
import json
import math
import os
import platform
import queue
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the script prints must not end up between the answers
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=listen, args=(requests,), daemon=True).start()
    try:
        tensors = TorchTensors() if sys.argv[2] == "torch" else NumpyTensors()
        script = load(sys.argv[1])
    except Exception as error:  # whatever is wrong with this Python or the script is the answer
        answer(answers, {"ready": False, "error": words(error)})
        return
    answer(answers, {"ready": True, "torch": tensors.torch, "python": platform.python_version()})
    while True:
        request = json.loads(requests.get())
        try:
            answer(answers, {"id": request["id"], **compute(tensors, script, request)})
        except Exception as error:  # the script's own errors are answers too
            traceback.print_exc()
            answer(answers, {"id": request["id"], "error": words(error)})


def listen(requests: "queue.Queue[str]") -> None:
    """Pass on what the judge asks; when it is gone, so is this process, whatever it is computing."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


class TorchTensors:
    """Tensors of torch, on one thread and with nothing that trades digits for speed."""

    def __init__(self) -> None:
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        torch.set_num_threads(1)  # on a busy machine threads that wait for each other are slower than one
        self.torch: str | None = str(torch.__version__)
        self._torch = torch

    def read(self, path: str, dtype: str, shape: list[int]) -> Any:
        """An input from its raw file."""
        size, kind = math.prod(shape), getattr(self._torch, dtype)
        return self._torch.from_file(path, shared=False, size=size, dtype=kind).reshape(shape)

    def write(self, path: Path, name: str, values: Any, shape: list[int]) -> None:
        """An output as float64. Raises ValueError where it is not what it should be."""
        if not isinstance(values, self._torch.Tensor):
            raise ValueError(f"output {name!r} is {kind_of(values)} and should be a tensor of torch")
        if values.is_complex():
            raise ValueError(f"output {name!r} is complex and should be real")
        tensor = values.detach().to("cpu", self._torch.float64).contiguous()
        check_shape(name, list(tensor.shape), shape)
        with path.open("wb") as file:
            file.truncate(tensor.numel() * 8)
        stored = self._torch.from_file(str(path), shared=True, size=tensor.numel(), dtype=self._torch.float64)
        stored.copy_(tensor.reshape(-1))


class NumpyTensors:
    """Arrays of numpy, on one thread."""

    torch: str | None = None

    def __init__(self) -> None:
        for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # read when numpy is loaded
        import numpy

        self._numpy = numpy

    def read(self, path: str, dtype: str, shape: list[int]) -> Any:
        """An input from its raw file; what numpy has no arithmetic for, or only a slow one, as float32."""
        np = self._numpy
        if dtype == "bfloat16":  # the upper half of a float32
            bits = np.fromfile(path, dtype=np.uint16).astype(np.uint32) << np.uint32(16)
            values = bits.view(np.float32)
        elif dtype == "float16":
            values = np.fromfile(path, dtype=np.float16).astype(np.float32)
        else:
            values = np.fromfile(path, dtype=np.dtype(dtype))
        return values.reshape(shape)

    def write(self, path: Path, name: str, values: Any, shape: list[int]) -> None:
        """An output as float64. Raises ValueError where it is not what it should be."""
        np = self._numpy
        if not isinstance(values, np.ndarray | np.generic):
            raise ValueError(f"output {name!r} is {kind_of(values)} and should be an array of numpy")
        if not np.can_cast(values.dtype, np.float64, "same_kind"):
            raise ValueError(f"output {name!r} is of {values.dtype} and should be of real numbers")
        check_shape(name, list(values.shape), shape)
        np.ascontiguousarray(values, dtype=np.float64).tofile(path)


def load(path: str) -> ModuleType:
    """Load a script by path. Raises ImportError where it does not define what it has to."""
    spec = importlib.util.spec_from_file_location("kernelseek_reference", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("reference", "trivial"):
        if not callable(getattr(module, name, None)):
            raise ImportError(f"{Path(path).name} defines no function {name}(params, inputs)")
    return module


def compute(tensors: "TorchTensors | NumpyTensors", script: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One request: where the outputs were written."""
    inputs = {name: tensors.read(*place) for name, place in request["inputs"].items()}
    truth = script.reference(request["params"], dict(inputs))
    result: dict[str, Any] = {"reference": save(tensors, truth, request, "reference")}
    if request["trivial"]:
        kernels = script.trivial(request["params"], dict(inputs))
        if not isinstance(kernels, dict):
            raise ValueError(f"trivial() gave {kind_of(kernels)} and should give a dict by kernel")
        if not kernels:
            raise ValueError("trivial() gave no kernel, so nothing shows that a scenario asks for any work")
        result["trivial"] = {
            name: save(tensors, outputs, request, f"trivial{number}")
            for number, (name, outputs) in enumerate(kernels.items())
        }
    return result


def save(
    tensors: "TorchTensors | NumpyTensors", outputs: Any, request: dict[str, Any], stem: str
) -> dict[str, str]:
    """Write outputs as float64, one file each; their paths."""
    if not isinstance(outputs, dict):
        raise ValueError(f"the script gave {kind_of(outputs)} and should give a dict of outputs by name")
    paths = {}
    for number, (name, shape) in enumerate(request["outputs"].items()):
        if name not in outputs:
            raise ValueError(f"the script gave no output {name!r}")
        path = Path(request["folder"], f"{request['id']}-{stem}-{number}.f64")
        tensors.write(path, name, outputs[name], shape)
        paths[name] = str(path)
    return paths


def check_shape(name: str, is_: list[int], should: list[int]) -> None:
    """Raises ValueError where an output's shape is another than its tensor's."""
    if is_ != should:
        raise ValueError(f"output {name!r} has shape {is_} and should have {should}")


def kind_of(value: Any) -> str:
    """What a value is, in a word or two."""
    return f"of type {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def words(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500]


def answer(answers: TextIO, message: dict[str, Any]) -> None:
    """One line to the judge."""
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
