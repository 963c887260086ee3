"""All records: of the sessions kept here and of named transcripts, measured anew where they changed."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from bank.effects.record import Record
from bank.effects.store import Block, Source, merge_into, read_store
from bank.effects.summary import distinct
from kernelseek_tui.effects.session import measure_file
from kernelseek_tui.effects.wording import Wordings
from sessions.archive.finding import own_sessions, why_not
from sessions.errors import RefusedInput, StorageError
from sessions.home import JOURNAL
from sessions.readers.detect import resolve

SAVED_EVERY = 30.0
"""Seconds of measuring after which what is measured is kept: a long run that is killed is not for nothing."""

Lines = AbstractContextManager[Callable[[int], None] | None]
"""Told how many lines of one file are read."""


@dataclass(slots=True)
class Effects:
    """What was found. `remarks` are sentences on what was left out or made again; `unsaved` why the records
    could not be kept, a sentence, empty where they are."""

    records: list[Record] = field(default_factory=list)
    sessions: int = 0
    measured: int = 0
    gone: int = 0
    remarks: list[str] = field(default_factory=list)
    unsaved: str = ""


@dataclass(frozen=True, slots=True)
class _Due:
    path: Path
    source: Source
    named: bool


def gather(
    wordings: Wordings,
    cache: Path,
    named: Sequence[Path] = (),
    progress: Callable[[Sequence[Path]], AbstractContextManager[Callable[[int], None] | None]] | None = None,
    lines: Callable[[Path], Lines] | None = None,
) -> Effects:
    """Every record of the sessions kept on this machine and of the transcripts `named`, each once.

    What did not change since it was measured comes from `cache`, which is brought up to date. `progress` gets
    the paths that have to be read and gives what is told the bytes that are read. Raises `RefusedInput` for a
    named path that is no transcript; a kept session that cannot be read is left out with a remark.
    """
    found = Effects()
    stored = read_store(cache)
    if stored.trouble:
        found.remarks.append(f"The records kept in {cache} are measured again: {stored.trouble}.")
    blocks = dict(stored.blocks)
    wanted = _wanted(named, wordings.version, found)
    due = [
        one for one in wanted if (known := blocks.get(one.source.path)) is None or known.source != one.source
    ]
    new: dict[str, Block] = {}
    with progress([one.path for one in due]) if progress is not None else nullcontext() as show:
        saved, done = time.monotonic(), 0
        for one in due:
            try:
                with lines(one.path) if lines is not None else nullcontext() as told:
                    records = measure_file(one.path, wordings, told).records
            except RefusedInput as error:
                if one.named:
                    raise
                found.remarks.append(f"Left out: {error}")
                blocks.pop(one.source.path, None)
                continue
            new[one.source.path] = Block(one.source, tuple(records))
            done += one.source.size
            if show is not None:
                show(done)
            if time.monotonic() - saved > SAVED_EVERY:
                _save(cache, new, found)
                saved = time.monotonic()
    found.measured = len(new)
    if new or stored.trouble:
        _save(cache, new, found)
    blocks.update(new)
    paths = {one.source.path for one in wanted}
    here = [block for path, block in blocks.items() if path in paths]
    gone = [block for path, block in blocks.items() if block.source.kept and not Path(path).exists()]
    found.sessions, found.gone = len(here), len(gone)
    # A session that is still here speaks for itself, under whatever path it was measured before.
    found.records = distinct([record for block in [*gone, *here] for record in block.records])
    return found


def keep(journal: Path, wordings: Wordings, cache: Path) -> str:
    """Measure a session that has just ended and add its records to `cache`; why that failed, else empty.

    What is not kept here is measured by the next `gather`.
    """
    try:
        one = _due(journal, wordings.version, kept=True)
        merge_into(cache, [Block(one.source, tuple(measure_file(one.path, wordings).records))])
    except (RefusedInput, StorageError) as error:
        return str(error)
    return ""


def _save(cache: Path, new: dict[str, Block], found: Effects) -> None:
    try:
        merge_into(cache, new.values())
        found.unsaved = ""
    except StorageError as error:
        found.unsaved = str(error)


def _wanted(named: Sequence[Path], texts: str, found: Effects) -> list[_Due]:
    wanted: dict[str, _Due] = {}
    for folder in own_sessions():
        wrong = why_not(folder)
        if wrong:
            found.remarks.append(f"Left out: {folder.name}, {wrong}.")
            continue
        one = _due(folder / JOURNAL, texts, kept=True)
        wanted[one.source.path] = one
    for path in named:
        one = _due(resolve(path), texts, kept=False)
        kept = wanted.get(one.source.path)
        wanted[one.source.path] = one if kept is None else replace(kept, named=True)
    return list(wanted.values())


def _due(path: Path, texts: str, kept: bool) -> _Due:
    try:
        about = path.stat()
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    where = str(path.resolve()).encode("utf-8", "backslashreplace").decode()
    return _Due(path, Source(where, about.st_size, about.st_mtime_ns, texts, kept), named=not kept)
