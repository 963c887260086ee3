"""Which banks there are beside the shipped one, and which of them a command uses.

A bank is named by `default` (the shipped one), by the name under which an installed package offers it, or by
its path: a folder of `*.yaml`, or one such file. Packages offer banks by the entry point group
`kernelseek.banks`. An installed bank is used only where it is named: installing a package changes no ranking.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from shlex import quote

from bank.bank import Bank
from bank.errors import BankError
from bank.files import named, place_of
from bank.shipped import ENTRIES, SHIPPED

GROUP = "kernelseek.banks"
DEFAULT = "default"
ENVIRONMENT = "KERNELSEEK_BANK"
"""Names and paths of banks, divided as in PATH; what is used where nothing else is named."""


@dataclass(frozen=True)
class Source:
    """A bank by the name it is asked for.

    `where` tells a reader where it comes from, `trouble` why it cannot be used, if that is known already.
    """

    name: str
    where: str
    entry_point: EntryPoint | None = None
    trouble: str = ""

    def path(self) -> Path | None:
        """Its folder or file, which need not be there; None for the shipped bank.

        Raises `BankError` for a package's broken one, and for what can be no path.
        """
        if self.trouble:
            raise BankError(self.trouble)
        if self.name == DEFAULT:
            return None
        if self.entry_point is None:
            return _possible(self.name)
        from bank.packaged import offered_folder  # only for banks of packages

        return offered_folder(self.entry_point)


def _possible(name: str) -> Path:
    try:
        path = Path(name).expanduser()
    except RuntimeError as error:  # as in ~somebody/bank, who has no home here
        what = "begins with the home folder of nobody known here, name the path in full"
        raise BankError(what, file=named(Path(name))) from error
    place_of(path)  # says so where no such path can be
    return path


def installed() -> list[Source]:
    """The shipped bank, then those of installed packages by name. Nothing of a package is loaded."""
    found: dict[str, Source] = {}
    for entry in entry_points(group=GROUP):
        source = Source(entry.name, f"{_package(entry)} ({entry.value})", entry)
        first = found.get(entry.name)
        if entry.name == DEFAULT:
            continue
        if first is not None and first.where != source.where:
            both = f"{first.where} and {source.where}"
            what = f"two packages offer a bank named {entry.name}: {both}; remove one, or name a path"
            source = Source(entry.name, both, trouble=what)
        found[entry.name] = source
    return [Source(DEFAULT, "shipped"), *(found[name] for name in sorted(found))]


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an installed package"


def chosen(names: Sequence[str | Path] = (), environment: Mapping[str, str] | None = None) -> list[Source]:
    """The banks that are named, each once; none named: those of `KERNELSEEK_BANK`, else the shipped one."""
    asked = [str(name) for name in names]
    if not asked:
        listed = (os.environ if environment is None else environment).get(ENVIRONMENT, "")
        asked = [name for name in listed.split(os.pathsep) if name]
    known: dict[str, Source] = {DEFAULT: Source(DEFAULT, "shipped")}
    if any(name != DEFAULT for name in asked):
        known = {source.name: source for source in installed()}
    return [known.get(name) or Source(name, "path") for name in dict.fromkeys(asked or [DEFAULT])]


def load_banks(names: Sequence[str | Path] = ()) -> Bank:
    """The banks that are named, as one, in that order; without names as `chosen` says.

    A bank other than the shipped one has to pass the admission rules; warnings stand. The result is kept:
    asked again for the same unchanged files, the same object comes back. Raises `BankError`: a bank that is
    not there, cannot be read or breaks a rule, or an id that stands in two of them.
    """
    sources = chosen(names)
    key = tuple((source.name, _state(source.path())) for source in sources)
    if key not in _LOADED:
        while len(_LOADED) >= _KEPT:
            del _LOADED[next(iter(_LOADED))]
        _LOADED[key] = _together([load_one(source) for source in sources])
    return _LOADED[key]


_LOADED: dict[tuple[object, ...], Bank] = {}
_KEPT = 8


def _state(path: Path | None) -> tuple[object, ...]:
    """Differs when a bank's files do."""
    place = ENTRIES if path is None else path
    try:
        files = sorted(place.glob("*.yaml")) if place_of(place) == "folder" else [place]
        found = [file.stat() for file in (*files, *((SHIPPED,) if path is None else ())) if file.exists()]
    except OSError as error:
        raise BankError(f"cannot be read ({error.strerror})", file=named(place)) from error
    return (str(place.absolute()), *((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in found))


def load_one(source: Source) -> Bank:
    """One bank, linted unless it is the shipped one. Raises `BankError`."""
    path = source.path()
    loaded = Bank.load(path)
    if path is not None:
        refuse_broken(path)
    return loaded


def refuse_broken(path: Path) -> None:
    """Raises `BankError` that names the first error of a bank's lints, where there is one."""
    # The rules take a while to import; the shipped bank has passed them before it was shipped.
    from bank.admission.folder import admit_path

    errors = [found for found in admit_path(path).findings if found.level == "error"]
    if errors:
        first = errors[0]
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        what = f"{first.message} ({first.lint}{more}); see `kernelseek bank lint {quote(str(path))}`"
        raise BankError(what, file=str(path), entry=first.entry, lint=first.lint)


def _together(banks: Sequence[Bank]) -> Bank:
    if len(banks) == 1:
        return banks[0]
    files: dict[str, str] = {}
    for one in banks:
        for entry_id, file in one.files.items():
            if entry_id in files:
                what = f"the id is taken by an entry of {files[entry_id]}, give one of them another"
                raise BankError(what, file=file, entry=entry_id, key="id", lint="Q21")
            files[entry_id] = file
    return Bank(tuple(entry for one in banks for entry in one.entries), files)
