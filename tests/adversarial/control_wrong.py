# cheat: none; plainly wrong: a tenth too much everywhere.
# checks: rel_rms row_rms max_abs
from honest import honest


def ks_run(tensors, params):
    honest(tensors, params)
    tensors["out"].mul_(1.1)
    return 0
