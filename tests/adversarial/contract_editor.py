# cheat: tries at import to change the judge's files, and to have its own torch.py found by others.
# checks: system_calls
import contextlib
from pathlib import Path

from honest import honest

for name in ("torch.py", "goal.toml", "manifest.json", "../goal.toml", "../manifest.json"):
    with contextlib.suppress(OSError):
        Path(name).write_text("{}")


def ks_run(tensors, params):
    honest(tensors, params)
    return 0
