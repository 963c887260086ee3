# cheat: writes a well-formed answer to every descriptor it has, and leaves with status 0.
# checks: channel process_alive written finite rel_rms row_rms max_abs system_calls
import contextlib
import os
import struct


def ks_run(tensors, params):
    answer = struct.pack("@IiQQQII", 17, 0, 0, 1, 0, 0, 0)
    for descriptor in range(64):
        with contextlib.suppress(OSError):
            os.write(descriptor, answer)
    os._exit(0)
