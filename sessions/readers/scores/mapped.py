"""Any CSV, TSV or JSONL of scores, read as its mapping file says."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers.base import Unknown
from sessions.readers.formats import Format, Item, by_lines
from sessions.readers.lines import Damaged, RawLine, parse
from sessions.readers.opening import open_utf8
from sessions.readers.scores.delimited import records
from sessions.readers.scores.mapping import Mapping, load
from sessions.readers.scores.rows import ScoreReader, nanoseconds, over, positive, when

_FIRST = 50  # rows that are looked at before a log is read
_DEEPEST = 8  # dots in a column's name


class MappedReader(ScoreReader):
    """Reads rows by their mapping. A column that never comes up is said at the end."""

    agent_name = "score log"

    def __init__(self, path: Path, mapping: Mapping) -> None:
        super().__init__(path)
        self._mapping = mapping
        self._first: dict[tuple[str, ...], float] = {}
        self._met = False

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The evaluation of one row. A row without the score's column is counted, not guessed at."""
        mapping = self._mapping
        if not _there(entry, mapping.score):
            raise Unknown(f"row without {mapping.score}"[:80])
        self._met = True
        if mapping.correct and not _there(entry, mapping.correct):
            raise Unknown(f"row without {mapping.correct}"[:80])
        return list(self._row(entry))

    def close(self) -> Iterable[ev.AnyEvent]:
        """Says when no row had the score."""
        if not self._met and self.account.entries:
            yield ev.Note(**self.head(), text=f"No row has a column {self._mapping.score!r}.", author="log")

    def _row(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        mapping = self._mapping
        self._time = when(_at(entry, mapping.time)) if mapping.time else None
        series = tuple(_words(_at(entry, column)) for column in mapping.series)
        value = positive(_at(entry, mapping.score))
        status = self._status(entry, value)
        measured = value if status in ("CORRECT", "PARSED") else None
        base = self._base(entry, series, measured)
        if mapping.ratio:
            ratio = measured
        else:
            ratio = over(base, measured) if mapping.direction == "lower" else over(measured, base)
        timed = mapping.direction == "lower" and mapping.unit != ""
        row = ev.ScenarioResult(
            id=(_words(_at(entry, mapping.scenario)) if mapping.scenario else "") or mapping.score,
            status=status,
            ratio=ratio,
            baseline_ns=nanoseconds(base, mapping.unit) if timed else None,
            candidate_ns=nanoseconds(value, mapping.unit) if timed else None,
        )
        shown = "not measured" if value is None else f"{mapping.score} {value:g}{mapping.unit}"
        yield from self.row(
            status=status,
            scenario_set="/".join(series) or mapping.score,
            baseline=self._baseline_name(),
            rows=(row,),
            geomean=ratio,
            name=_words(_at(entry, mapping.name)) if mapping.name else "",
            detail=shown if status in ("CORRECT", "PARSED") else f"{shown}, which does not count",
            why=_words(_at(entry, mapping.note)) if mapping.note else "",
        )

    def _status(self, entry: dict[str, Any], value: float | None) -> str:
        if self._mapping.correct:
            given = _words(_at(entry, self._mapping.correct)).strip().lower()
            if given not in {word.lower() for word in self._mapping.correct_values}:
                return "WRONG"
            return "NOT_RUN" if value is None else "CORRECT"
        return "NOT_RUN" if value is None else "PARSED"

    def _base(self, entry: dict[str, Any], series: tuple[str, ...], measured: float | None) -> float | None:
        mapping = self._mapping
        if mapping.baseline_column:
            return positive(_at(entry, mapping.baseline_column))
        key = (*series, _words(_at(entry, mapping.scenario)) if mapping.scenario else "")
        named = mapping.baseline
        chosen = named is None or _words(_at(entry, named.column)) == named.value
        if measured is not None and chosen and not mapping.ratio:
            self._first.setdefault(key, measured)
        return self._first.get(key)

    def _baseline_name(self) -> str:
        mapping = self._mapping
        if mapping.ratio:
            return "as the log says"
        if mapping.baseline_column:
            return mapping.baseline_column
        named = mapping.baseline
        return "the first measured row" if named is None else f"{named.column} = {named.value}"


def mapped_format(log: Path, mapping_file: Path) -> Format:
    """The format that a mapping file makes of a log. Raises `RefusedInput` for either of them."""
    named = load(mapping_file)
    items = _items(log)
    _check(log, items, named.mapping)
    return Format(
        "mapped-scores",
        f"a score log read by {mapping_file.name}",
        lambda path, _: MappedReader(path, named.mapping),
        items=items,
    )


def _check(log: Path, items: Callable[[Path], Iterator[RawLine | Item]], mapping: Mapping) -> None:
    """Refuses a log that says nothing, or whose first rows do not say whether they are right."""
    if not _start(log).strip("\ufeff \t\r\n"):
        raise RefusedInput(f"{log.name} is empty: there is no session in it.")
    if not mapping.correct:
        return
    try:
        rows = [row for entry in islice(items(log), _FIRST) if (row := _object(entry)) is not None]
    except OSError as error:
        raise RefusedInput(f"{log} cannot be read: {error.strerror or error}.") from error
    if rows and not any(_there(row, mapping.correct) for row in rows):
        raise RefusedInput(
            f"{log.name} has no column {mapping.correct!r} in its first rows, the mapping's `correct`."
        )


def _object(entry: RawLine | Item) -> dict[str, Any] | None:
    if isinstance(entry, Item):
        return entry.value if isinstance(entry.value, dict) else None
    try:
        return parse(entry)
    except Damaged:
        return None


def _items(log: Path) -> Callable[[Path], Iterator[RawLine | Item]]:
    if not log.is_file():
        raise RefusedInput(f"{log} is not a regular file.")
    match log.suffix.lower():
        case ".csv":
            header = _start(log).split("\n", 1)[0]
            return records(";" if ";" in header and "," not in header else ",")
        case ".tsv" | ".tab":
            return records("\t")
        case _:
            return by_lines if _is_json(log) else records(_delimiter(log))


def _is_json(log: Path) -> bool:
    return _start(log).lstrip("\ufeff \t\r\n").startswith("{")


def _delimiter(log: Path) -> str:
    header = _start(log).split("\n", 1)[0]
    return max(("\t", ",", ";"), key=header.count)


def _start(log: Path) -> str:
    try:
        with open_utf8(log) as file:
            return file.read(64 * 1024).decode("utf-8", "replace")
    except OSError as error:
        raise RefusedInput(f"{log} cannot be read: {error.strerror or error}.") from error


def _there(entry: dict[str, Any], column: str) -> bool:
    return _at(entry, column) is not None


def _at(entry: dict[str, Any], column: str) -> Any:
    """A column by its name, or where no column has it, by a path with dots into objects."""
    if column in entry:
        return entry[column]
    value: Any = entry
    for part in column.split(".", _DEEPEST):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)[:2_000] if isinstance(value, str | int | float) else ""
