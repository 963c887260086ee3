# cheat: puts functions of its own in the place of torch's and the clock's, and code into the worker's.
# checks: modules
import sys
import time

import torch
from honest import honest

time.monotonic_ns = lambda: 0
torch.equal = torch.allclose = lambda *_, **__: True


def always(error):
    return "nothing"


worker = getattr(sys.modules["__main__"], "words", None)
if worker is not None:  # there is none yet while it is built
    worker.__code__ = always.__code__


def ks_run(tensors, params):
    honest(tensors, params)
    return 0
