"""Seeds of an evaluation's inputs: drawn when it starts, so that no candidate can know them."""

import hashlib
import secrets

WARMUP = "warm-up"


def new_root() -> int:
    """64 fresh bits."""
    return secrets.randbits(64)


def derive(root: int, *what: str | int) -> int:
    """The 64-bit seed of one set of inputs, from the root and what it is for."""
    text = "\0".join([f"{root:016x}", *(str(part) for part in what)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
