# cheat: right in every scenario but those with a causal mask, which it leaves with status 0.
# checks: process_alive written finite rel_rms row_rms max_abs
import os

from honest import honest


def ks_run(tensors, params):
    if params["causal"]:
        os._exit(0)
    honest(tensors, params)
    return 0
