"""Imports a Python candidate once, so that what it compiles is compiled. Run by path, as `worker.py` is.

usage: python -I -P build_worker.py CANDIDATE FOLDER [MODULE ...]

`load_inline` and `load` of torch.utils.cpp_extension build into FOLDER; MODULEs are imported first, and a
failure there is this Python's, not the candidate's: exit code 3. Then prints a line of versions, and once
the candidate is imported, `DONE`: a process that ends without it did not come so far.
"""

import importlib
import importlib.util
import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any

FLAGS = ["-O3", "-march=native"]
NOT_THIS_PYTHON = 3
DONE = '{"done": true}'
KEPT_AWAY = ("with_cuda", "with_sycl", "cuda_sources", "extra_cuda_cflags", "use_pch", "keep_intermediates")


def main() -> int:
    """Build; returns the exit code."""
    candidate, folder, *modules = sys.argv[1:]
    sys.argv[1:] = []
    try:
        import torch
        import torch.utils.cpp_extension as extensions

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        versions = {"python": ".".join(map(str, sys.version_info[:3])), "torch": str(torch.__version__)}
        for name in modules:
            versions[name] = str(getattr(importlib.import_module(name), "__version__", ""))
    except Exception:  # whatever is wrong with this Python: the judge says so
        traceback.print_exc()
        return NOT_THIS_PYTHON
    extensions.load_inline = into(folder, extensions.load_inline)
    extensions.load = into(folder, extensions.load)
    print(json.dumps(versions), flush=True)
    try:
        spec = importlib.util.spec_from_file_location("kernel", candidate)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["kernel"] = module
        spec.loader.exec_module(module)
        if not callable(getattr(module, "ks_run", None)):
            print("error: it does not define ks_run(tensors, params)", file=sys.stderr)
            return 1
    except BaseException as error:  # SystemExit too: no candidate ends this build well on its own
        traceback.print_exc()
        text = " ".join(str(error).split())
        print(f"error: {type(error).__name__}: {text}"[:2000], file=sys.stderr)
        return 1
    print("\n" + DONE, flush=True)
    return 0


def into(folder: str, build: Any) -> Any:
    """The builder, with a folder of its own for each name and the flags that C++ candidates get."""

    def load(name: str, *args: Any, **options: Any) -> Any:
        if not re.fullmatch(r"[A-Za-z_]\w{0,63}", name):
            raise ValueError(f"an extension's name has to be an identifier, not {name!r}")
        for key in KEPT_AWAY:
            options.pop(key, None)
        place = Path(folder, name)
        place.mkdir(parents=True, exist_ok=True)
        options["build_directory"] = os.fspath(place)
        options["extra_cflags"] = [*FLAGS, *(options.get("extra_cflags") or [])]
        return build(name, *args, **options)

    return load


if __name__ == "__main__":
    raise SystemExit(main())
