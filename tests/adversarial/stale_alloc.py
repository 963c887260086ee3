# cheat: puts new memory of the right size in the place of the output and hopes for what was in it before.
# checks: written finite rel_rms row_rms max_abs
import torch


def ks_run(tensors, params):
    tensors["out"] = torch.empty(tensors["out"].shape, dtype=tensors["out"].dtype)
    return 0
