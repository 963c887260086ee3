# cheat: has ctypes load a library of the system that it was not built against.
# checks: mappings
import ctypes

from honest import honest


def ks_run(tensors, params):
    ctypes.CDLL("lib" + "resolv" + ".so.2")
    honest(tensors, params)
    return 0
