# cheat: none; right, slow and in Python, and must be accepted.
# checks: none
from honest import honest


def ks_run(tensors, params):
    honest(tensors, params)
