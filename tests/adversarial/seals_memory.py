# cheat: has the kernel fix the judge's memory for good before the judge has done so, to be judged by nobody.
# checks: system_calls map
import contextlib
import fcntl

from honest import honest

for descriptor in range(3, 64):
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, 1033, 1)  # F_ADD_SEALS, F_SEAL_SEAL


def ks_run(tensors, params):
    honest(tensors, params)
