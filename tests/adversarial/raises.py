# cheat: writes the right answer and then raises, where the caller might take what is there.
# checks: status
from honest import honest


def ks_run(tensors, params):
    honest(tensors, params)
    raise RuntimeError("done")
