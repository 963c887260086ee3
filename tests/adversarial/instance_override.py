# cheat: zeros, in a plain tensor whose own `.to`, `.float` and `.cpu` would give the right answer.
# checks: rel_rms row_rms max_abs
import torch
from honest import honest


def ks_run(tensors, params):
    out = tensors["out"]
    right = {**tensors, "out": torch.empty_like(out)}
    honest(right, params)
    out.zero_()
    for name in ("to", "float", "cpu", "double", "numpy", "clone"):
        setattr(out, name, lambda *_, **__: right["out"])
    return 0
