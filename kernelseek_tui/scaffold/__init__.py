"""An operator as a small installable package: what `kernelseek operators new` writes.

The templates lie beside this file; `@NAME@` and the like in them are replaced, and a path's first part
`package` is the package's name.
"""

import importlib.util
import keyword
import re
import sys
from pathlib import Path, PurePosixPath

from kernelseek_tui.exit_codes import ExitCode

TEMPLATES = Path(__file__).with_name("operator")
SUFFIX = ".template"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = frozenset({"torch", "triton", "numpy"})
"""What references and candidates import, also where this Python does not have it."""
DEVICES = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")
"""What no file can be called on Windows, where a checkout may come to lie."""


class ScaffoldError(Exception):
    """One sentence that says what to do, and what the process ends with."""

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def package_of(name: str) -> str:
    """The Python package of an operator: not its bare name, which may be another module's."""
    return f"{name}_operator"


def check_name(name: str) -> None:
    """Raises `ScaffoldError` (usage) for a name that cannot be an operator's, or is something else's."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name.endswith("_") or "__" in name:
        raise ScaffoldError(
            f"{name!r} cannot be an operator's name; use up to 40 of a-z, 0-9 and single _ between them, "
            "beginning with a letter, like row_softmax.",
            ExitCode.USAGE,
        )
    if DEVICES.fullmatch(name) or _is_module(name):
        what = "the name of a device on Windows" if DEVICES.fullmatch(name) else "a Python module's name"
        raise ScaffoldError(f"{name!r} is {what}; choose another, like my_{name}.", ExitCode.USAGE)


def _is_module(name: str) -> bool:
    """Whether something is imported by that name: a folder that only lies there is no module."""
    if name in TAKEN or name in sys.stdlib_module_names:
        return True
    found = importlib.util.find_spec(name)
    return found is not None and found.origin is not None


def files(name: str) -> dict[str, str]:
    """Path inside the new folder to content. Raises `ScaffoldError` for a bad name."""
    check_name(name)
    words = {
        "@NAME@": name,
        "@PACKAGE@": package_of(name),
        "@CLASS@": "".join(word.capitalize() for word in name.split("_")),
        "@DISTRIBUTION@": f"kernelseek-{name.replace('_', '-')}",
    }
    made = {}
    for template in sorted(TEMPLATES.rglob(f"*{SUFFIX}")):
        text = template.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        path = PurePosixPath(template.relative_to(TEMPLATES).as_posix().removesuffix(SUFFIX))
        if path.parts[0] == "package":
            path = PurePosixPath(package_of(name), *path.parts[1:])
        made[str(path)] = text
    return made


def write(name: str, folder: Path) -> list[Path]:
    """Write the package into `folder`; the files, in order. Overwrites nothing.

    Raises `ScaffoldError`: usage for a bad name, input refused for what is in the way, storage where it
    cannot be written; then nothing of it is left.
    """
    made = files(name)
    if folder.exists() and not folder.is_dir():
        raise ScaffoldError(
            f"{folder} is not a folder; name one, or one that does not exist yet.", ExitCode.INPUT_REFUSED
        )
    in_the_way = [path for path in made if (folder / path).exists() or (folder / path).is_symlink()]
    in_the_way += sorted(
        {part for part in (PurePosixPath(path).parts[0] for path in made) if (folder / part).is_symlink()}
        - set(in_the_way)
    )
    if in_the_way:
        raise ScaffoldError(
            f"{folder} already holds {', '.join(in_the_way)} (nothing is overwritten); name another folder.",
            ExitCode.INPUT_REFUSED,
        )
    new_folders = [one for one in (folder, *folder.parents) if not one.exists()]
    written: list[Path] = []
    try:
        for path, text in made.items():
            target = folder / path
            if not target.parent.exists() and target.parent not in new_folders:
                new_folders.insert(0, target.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8") as file:
                written.append(target)
                file.write(text)
    except OSError as error:
        _undo(written, new_folders)
        raise ScaffoldError(
            f"{folder} cannot be written ({error.strerror or error}); name another folder.", ExitCode.STORAGE
        ) from error
    return written


def _undo(written: list[Path], new_folders: list[Path]) -> None:
    """Remove what was written and the folders made for it, the innermost first."""
    for path in written:
        path.unlink(missing_ok=True)
    for folder in new_folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
