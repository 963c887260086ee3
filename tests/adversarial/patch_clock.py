# cheat: works many times over and has the worker's clock stand still meanwhile, by its name and its code.
# checks: modules clock slope
# when: timed
import sys
import time

from honest import honest

true = time.monotonic_ns
main = sys.modules["__main__"]
told = [0, 0]


def slowly():
    """Every second look, which ends a call, is a little after the one before it."""
    told[1] += 1
    if told[1] % 2:
        told[0] = true()
        return told[0]
    return told[0] + 50_000


time.monotonic_ns = time.perf_counter_ns = main.clock = slowly


def ks_run(tensors, params):
    began = true()
    while true() - began < 12_000_000:
        honest(tensors, params)
    return 0
