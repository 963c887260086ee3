"""Where a bank keeps what stands beside its entries: the ids it ever had, and its reviews."""

import os
import tempfile
from pathlib import Path

from bank.bank import ENTRIES
from bank.errors import BankError
from sessions.errors import StorageError

CHECKOUT = ENTRIES.parents[1]


def beside(path: Path, name: str) -> Path:
    """The file `name` of the bank at `path`, a folder of YAML or one such file.

    It stands in the folder, or beside it where the folder is named `entries`, as in the shipped bank.
    """
    folder = (path if path.is_dir() else path.parent).resolve()
    return (folder.parent if folder.name == ENTRIES.name else folder) / name


def refuse_installed(path: Path) -> None:
    """Raises `BankError` where `path` is the bank of an installed package, which belongs to no author."""
    shipped = path.resolve().is_relative_to(ENTRIES.resolve())
    if shipped and not (CHECKOUT / "pyproject.toml").is_file():
        raise BankError(
            "this bank belongs to the installed package, name a folder of your own or of a checkout"
        )


def replace_text(path: Path, text: str) -> None:
    """Write a text file by atomic rename, its mode kept. Raises `StorageError`; what was there stays."""
    path = path.resolve()  # a link stays a link
    try:
        if path.exists() and not os.access(path, os.W_OK):
            raise StorageError(f"{path} is write-protected, change its mode or choose another bank.")
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:  # whatever happened, also Ctrl-C: no half file stays
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(
            f"{path} could not be written ({error.strerror or error}); make room or choose another bank."
        ) from error
