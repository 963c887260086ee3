"""The folder of a bank that an installed package offers: others' code, whose faults become a sentence.

That code runs in this process when its bank is named. What it raises and prints is caught; what it does
besides, ending the process by `os._exit` included, cannot be.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib.metadata import EntryPoint
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TextIO

from bank.errors import BankError
from bank.files import MAX_BYTES

_MOST_FILES = 10_000
_LONGEST = 200


@cache
def offered_folder(entry: EntryPoint) -> Path:
    """The folder of YAML that an entry point stands for.

    Its value is a package, whose folder `entries` is meant or else the package's own, or `module:attribute`,
    an attribute that is a path or a `Traversable`. What the module prints meanwhile is dropped. Raises
    `BankError` that names the entry point.
    """
    try:
        with redirect_stdout(_nowhere()), redirect_stderr(_nowhere()):
            return _folder(entry)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # someone else's module: whatever it raises is one sentence here
        why = " ".join(f"{type(error).__name__}: {_said(error)}".split())[:_LONGEST]
        raise BankError(f"the bank {entry.name} ({entry.value}) could not be loaded: {why}") from error


@cache
def _nowhere() -> TextIO:
    # Never closed: a module may keep the stream, as a logging handler does.
    return Path(os.devnull).open("w", encoding="utf-8")


def _said(error: BaseException) -> str:
    """What an exception says; its own code may fail in that, too."""
    try:
        return str.__str__(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:  # its own code again: there is nothing else to tell of it
        return "it cannot say why"


def _folder(entry: EntryPoint) -> Path:
    found = entry.load()
    if isinstance(found, ModuleType):
        package = files(found)
        found = package / "entries" if (package / "entries").is_dir() else package
    if isinstance(found, (str, Path)):
        return _plain_path(found)
    if not isinstance(found, Traversable):
        raise TypeError(f"a value of type {type(found).__name__} is no path and no package")
    return _on_disk(found)


def _plain_path(found: str | Path) -> Path:
    # Of its kind of path nothing is kept: methods of a package's own class may do anything later.
    return Path(str.__str__(os.fspath(found)))


def _on_disk(folder: Traversable) -> Path:
    """A package without `__init__.py`, or one in an archive: its YAML where it lies, or else copied out."""
    found = [(name, item) for item in _listed(folder.iterdir()) if (name := _name(item)).endswith(".yaml")]
    if not found:
        raise FileNotFoundError("it holds no *.yaml file")
    parents = {_plain_path(item).parent if isinstance(item, Path) else None for _, item in found}
    (only,) = parents if len(parents) == 1 else (None,)
    if only is not None:
        return only
    if len({name for name, _ in found}) < len(found):
        raise ValueError("two of its files have one name")
    copied = Path(tempfile.mkdtemp(prefix="kernelseek-bank-"))
    atexit.register(shutil.rmtree, copied, ignore_errors=True)
    for name, item in found:
        with item.open("rb") as stream:
            # One byte more than a bank's file may have: reading it says that it is too large.
            (copied / name).write_bytes(stream.read(MAX_BYTES + 1)[: MAX_BYTES + 1])
    return copied


def _listed(items: Iterable[Traversable]) -> list[Traversable]:
    first = list(islice(items, _MOST_FILES + 1))
    if len(first) > _MOST_FILES:
        raise ValueError(f"its folder holds more than {_MOST_FILES} files")
    return first


def _name(item: Traversable) -> str:
    """The name of a file in a package, never a way out of its folder. Raises `ValueError`."""
    name = str.__str__(item.name)
    if name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        raise ValueError("the name of one of its files is none")
    return name
