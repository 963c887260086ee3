# cheat: right, but starts another program meanwhile.
# checks: system_calls
import subprocess

from honest import honest


def ks_run(tensors, params):
    honest(tensors, params)
    subprocess.run(["/bin/true"], check=False)
    return 0
