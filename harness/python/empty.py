"""A kernel that does nothing: what a call of it takes is the launcher's time, not a kernel's."""

from typing import Any


def ks_run(tensors: dict[str, Any], params: dict[str, Any]) -> int:
    """KS_OK, and nothing is written."""
    return 0
