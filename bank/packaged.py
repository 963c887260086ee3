"""The folder of a bank that an installed package offers: others' code, whose faults become a sentence."""

import atexit
import shutil
import tempfile
from functools import cache
from importlib.metadata import EntryPoint
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType

from bank.errors import BankError


@cache
def offered_folder(entry: EntryPoint) -> Path:
    """The folder of YAML that an entry point stands for.

    Its value is a package, whose folder `entries` is meant or else the package's own, or `module:attribute`,
    an attribute that is a path or a `Traversable`. Raises `BankError` that names the entry point.
    """
    try:
        found = entry.load()
        if isinstance(found, ModuleType):
            package = files(found)
            found = package / "entries" if (package / "entries").is_dir() else package
        if isinstance(found, str):
            found = Path(found)
        if not isinstance(found, Traversable):
            raise TypeError(f"a value of type {type(found).__name__} is no path and no package")
        return found if isinstance(found, Path) else _on_disk(found)
    except Exception as error:  # someone else's module: whatever it raises is one sentence here
        raise BankError(
            f"the bank {entry.name} ({entry.value}) could not be loaded: {type(error).__name__}: {error}"
        ) from error


def _on_disk(folder: Traversable) -> Path:
    """A package without `__init__.py`, or one in an archive: its YAML where it lies, or else copied out."""
    found = [item for item in folder.iterdir() if item.name.endswith(".yaml")]
    if not found:
        raise FileNotFoundError("it holds no *.yaml file")
    parents = {item.parent if isinstance(item, Path) else None for item in found}
    (only,) = parents if len(parents) == 1 else (None,)
    if only is not None:
        return only
    copied = Path(tempfile.mkdtemp(prefix="kernelseek-bank-"))
    atexit.register(shutil.rmtree, copied, ignore_errors=True)
    for item in found:
        (copied / item.name).write_bytes(item.read_bytes())
    return copied
