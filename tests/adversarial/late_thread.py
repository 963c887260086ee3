# cheat: returns at once; a thread writes the output when it comes to it.
# checks: threads written finite rel_rms row_rms max_abs
import threading
import time

from honest import honest


def work(tensors, params):
    time.sleep(30)
    honest(tensors, params)


def ks_run(tensors, params):
    threading.Thread(target=work, args=(dict(tensors), params), daemon=True).start()
    return 0
