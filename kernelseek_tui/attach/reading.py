"""What may be read and written of a person's settings file, and the sentences where it may not."""

import stat
from pathlib import Path

from kernelseek_tui.attach.discover import AttachError
from kernelseek_tui.attach.files import locked_against_us
from kernelseek_tui.attach.jsontext import load
from kernelseek_tui.attach.merge import Settings

_MAX_BYTES = 8 << 20


class SettingsError(AttachError):
    """The settings cannot be used and were left untouched; the message says why and what to do."""


def read_plain(path: Path) -> bytes | None:
    """The file's bytes, None where there is none. Raises `SettingsError` for what we never write to."""
    if path.parent.is_symlink() or path.is_symlink():
        raise SettingsError(f"{path} is a link, or lies behind one, and is left alone; attach elsewhere.")
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > _MAX_BYTES:
            raise SettingsError(f"{path} is no plain file of its own and is left alone.")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise SettingsError(f"{path.parent} is no folder; nothing was changed.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}); nothing was changed.") from error


def parsed(path: Path, data: bytes | None) -> Settings:
    """The settings in `data`, the bytes of `path`; none for no file. Raises `SettingsError`."""
    if data is None:
        return {}
    try:
        settings = load(data)
    except ValueError as error:
        raise SettingsError(f"{path} {error} and is left alone; mend it first.") from error
    if not isinstance(settings, dict):
        raise SettingsError(f"{path} holds no JSON object and is left alone; mend it first.")
    return settings


def readable(path: Path, data: bytes | None) -> tuple[Settings | None, str]:
    """The settings, or None and why there are none."""
    try:
        return parsed(path, data), ""
    except SettingsError as error:
        return None, str(error)


def check_writable(path: Path) -> None:
    """Raise `SettingsError` where no hooks can be put."""
    folder = path.parent
    for place in (path, folder if folder.exists() else folder.parent):
        if locked_against_us(place):
            raise SettingsError(
                f"{place} is not writable, so no hooks can be put there; nothing was changed."
            )
