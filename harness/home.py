"""Where the judge keeps what it can make again: builds, frozen candidates, admissions."""

import os
from pathlib import Path

import platformdirs

from harness.errors import JudgeError


def cache_folder(override: Path | None = None) -> Path:
    """The cache folder, created: `override`, else `KERNELSEEK_CACHE`, else the user's cache.

    Raises `JudgeError` where it cannot be written.
    """
    path = override or Path(os.environ.get("KERNELSEEK_CACHE") or platformdirs.user_cache_path("kernelseek"))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JudgeError(
            f"The cache folder {path} cannot be made ({error.strerror}); set KERNELSEEK_CACHE to another."
        ) from error
    return path.resolve()
