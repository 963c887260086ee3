"""Computes an operator's reference in float64. Run by path, under any Python that has torch.

usage: python -I reference_worker.py REFERENCE_SCRIPT

Imports none of our packages. Reads one JSON request a line on stdin, answers one a line on stdout; tensors
travel as raw files. Ends when stdin does. The judge's half is `harness/reference.py`.
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
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        torch.set_num_threads(1)  # on a busy machine threads that wait for each other are slower than one
        script = load(sys.argv[1])
    except Exception as error:  # whatever is wrong with this Python or the script is the answer
        answer(answers, {"ready": False, "error": words(error)})
        return
    answer(answers, {"ready": True, "torch": torch.__version__, "python": platform.python_version()})
    while True:
        request = json.loads(requests.get())
        try:
            answer(answers, {"id": request["id"], **compute(torch, script, request)})
        except Exception as error:  # the script's own errors are answers too
            traceback.print_exc()
            answer(answers, {"id": request["id"], "error": words(error)})


def listen(requests: "queue.Queue[str]") -> None:
    """Pass on what the judge asks; when it is gone, so is this process, whatever it is computing."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def load(path: str) -> ModuleType:
    """Load a script by path."""
    spec = importlib.util.spec_from_file_location("kernelseek_reference", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compute(torch: Any, script: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One request: where the outputs were written."""
    inputs = {}
    for name, (path, dtype, shape) in request["inputs"].items():
        raw = torch.from_file(path, shared=False, size=math.prod(shape), dtype=getattr(torch, dtype))
        inputs[name] = raw.reshape(shape)
    truth = script.reference(request["params"], dict(inputs))
    result: dict[str, Any] = {"reference": save(torch, truth, request, "reference")}
    if request["trivial"]:
        kernels = script.trivial(request["params"], dict(inputs))
        result["trivial"] = {
            name: save(torch, outputs, request, f"trivial{number}")
            for number, (name, outputs) in enumerate(kernels.items())
        }
    return result


def save(torch: Any, outputs: dict[str, Any], request: dict[str, Any], stem: str) -> dict[str, str]:
    """Write outputs as float64, one file each; their paths."""
    paths = {}
    for number, (name, shape) in enumerate(request["outputs"].items()):
        if name not in outputs:
            raise ValueError(f"the script gave no output {name!r}")
        tensor = outputs[name].detach().to("cpu", torch.float64).contiguous()
        if list(tensor.shape) != shape:
            raise ValueError(f"output {name!r} has shape {list(tensor.shape)} and should have {shape}")
        path = Path(request["folder"], f"{request['id']}-{stem}-{number}.f64")
        with path.open("wb") as file:
            file.truncate(tensor.numel() * 8)
        stored = torch.from_file(str(path), shared=True, size=tensor.numel(), dtype=torch.float64)
        stored.copy_(tensor.reshape(-1))
        paths[name] = str(path)
    return paths


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
