"""Replacing a file: whoever reads it, and we after a crash, see all of the new or all of what was there."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def replace_file(path: Path, parts: Iterable[str]) -> None:
    """Write a UTF-8 text file by atomic rename, on disk before it appears; the mode of the old one is kept.

    `path` must not be a link: resolve it first, or the link is replaced. Line ends are written as they are.
    Raises `OSError`; what was there stays then, and whatever else happens.
    """
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.writelines(parts)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:  # whatever happened, also Ctrl-C: no half file stays
        Path(name).unlink(missing_ok=True)
        raise
