# cheat: has torch.ops load a library of the system that it was not built against.
# checks: mappings
from pathlib import Path

import torch
from honest import honest

NAME = "lib" + "resolv" + ".so.2"
PLACES = [
    Path(one) / NAME for one in ("/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib")
]
LIBRARY = next(one for one in PLACES if one.exists())


def ks_run(tensors, params):
    torch.ops.load_library(str(LIBRARY))
    honest(tensors, params)
    return 0
