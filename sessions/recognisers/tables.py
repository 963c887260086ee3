"""Tables with a header line: cells between bars, tabs or two spaces, a scenario a line."""

import re
from dataclasses import dataclass

from sessions.events import ToolCall
from sessions.recognisers.lines import LONGEST, MOST
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.words import (
    BASELINE,
    CANDIDATE,
    NO_RATIO,
    NS,
    NUMBER,
    SUMMARY,
    close,
    finite,
    half_step,
    is_noise,
    shape_of,
)

_HINT = re.compile(
    r"speed-?up|\b(?:ns|us|µs|ms)\b|_(?:ns|us|ms)\b|latency|\btime\b|peak|roofline", re.IGNORECASE
)
_RULE = re.compile(r"[\s|+:=─━┼│┃╪═-]+")
_SPEEDUP = re.compile(r"speed-?up(?:\s*(?:vs\.?|over)\s*(?:the\s+)?(?P<over>[\w.-]+))?", re.IGNORECASE)
_UNIT = re.compile(r"(?:\b|_)(?P<unit>ns|us|µs|ms)\b", re.IGNORECASE)
_TIME = re.compile(r"\b(?:latency|time|runtime|mean|median)\b", re.IGNORECASE)
_SPREAD = re.compile(
    r"std|±|stdev|off by|deviation|\bmin\b|\bmax\b|\bp\d\d|error|err\b|diff|flops|gb/s|bytes", re.IGNORECASE
)
_PEAK = re.compile(r"\b(?:peak|roofline|sol)\b|peak_fraction", re.IGNORECASE)
_STATUS = re.compile(r"^(?:status|correct\w*|pass(?:ed)?|ok|result|match|check)\??$", re.IGNORECASE)
_VALUE = re.compile(rf"[~≈]?({NUMBER})\s?(ns|us|µs|ms|s|x|×|%)?", re.IGNORECASE)
_COLUMNS = re.compile(r"[|│┃\t]|\S  +\S")
_BARS = re.compile(r"[|│┃]")
_CELL = re.compile(r"\S+(?: \S+)*")
_LEAST = 2  # columns


@dataclass(frozen=True, slots=True)
class _Header:
    """(kind, what, unit) of each column; `what` is a role or a baseline's name. `spans`: where they stand."""

    columns: list[tuple[str, str, str]]
    spans: list[tuple[int, int]]


class Tables:
    """Recognises the last table of an output that has a column of speed-ups, times or shares of peak."""

    name = "tables"

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """Its rows."""
        if not _HINT.search(text):
            return None
        lines = text.split("\n")[-MOST:]
        found: list[Row] = []
        ragged = False
        place = 0
        while place < len(lines):
            header = _header(lines[place])
            place += 1
            if header is None:
                continue
            rows, end = _rows(header, lines, place)
            if rows:
                found, ragged = rows, end < len(lines) and _may_be_row(lines[end])
                place = end
        return Recognised(rows=tuple(found), ragged=ragged) if found else None


def _split(line: str) -> list[tuple[str, int, int]]:
    """The cells of a line with the columns of text that they stand in."""
    if _BARS.search(line):
        inner = line.strip().strip("|│┃")
        return [(cell.strip(" *`"), place, place) for place, cell in enumerate(_BARS.split(inner))]
    if "\t" in line:
        return [(cell.strip(), place, place) for place, cell in enumerate(line.split("\t"))]
    return [(cell[0], cell.start(), cell.end()) for cell in _CELL.finditer(line)]


def _header(line: str) -> _Header | None:
    """The columns, where the line is a header."""
    if len(line) > LONGEST or not _COLUMNS.search(line) or not _HINT.search(line):
        return None
    cells = _split(line)
    if len(cells) < _LEAST or any(_VALUE.fullmatch(cell) for cell, _, _ in cells if cell):
        return None
    if is_noise(shape_of(line)):
        return None
    columns = [_column(cell) for cell, _, _ in cells]
    kinds = [kind for kind, _, _ in columns]
    if kinds[0] not in ("name", "status") or not {"ratio", "time", "fraction"} & set(kinds):
        return None
    return _Header(columns, [(start, end) for _, start, end in cells])


def _cells(header: _Header, line: str) -> list[str] | None:
    """One cell a column, empty ones where the line leaves a column out; None for a line of no such table."""
    cells = _split(line)
    if len(cells) == len(header.columns):
        return [cell for cell, _, _ in cells]
    if _BARS.search(line) or "\t" in line or not 1 < len(cells) < len(header.columns):
        return None
    placed = [""] * len(header.columns)
    for cell, start, end in cells:
        near = [max(first, start) - min(last, end) for first, last in header.spans]
        column = near.index(min(near))
        if placed[column] or near[column] > 2:
            return None
        placed[column] = cell
    return placed


def _column(cell: str) -> tuple[str, str, str]:
    if len(cell) > 40:
        return "name", cell, ""
    if speedup := _SPEEDUP.search(cell):
        return (
            ("ratio", (speedup["over"] or "").lower(), "") if "max" not in cell.lower() else ("skip", "", "")
        )
    if cell.lower() in ("ratio", "ref/ours", "rel"):
        return "maybe", "", ""  # which way round, only two times beside it can tell
    if _STATUS.match(cell):
        return "status", "", ""
    if _SPREAD.search(cell):
        return "skip", "", ""
    if _PEAK.search(cell):
        return "fraction", "", "%" if "%" in cell else ""
    unit = _UNIT.search(cell)
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", cell)]
    role = next((word for word in words if word in BASELINE or word in CANDIDATE), "")
    if unit or _TIME.search(cell):
        return "time", role, unit["unit"].lower() if unit else ""
    return "name", cell, ""


def _rows(header: _Header, lines: list[str], place: int) -> tuple[list[Row], int]:
    """The rows from `place` on, and the line that ends them."""
    found: list[Row] = []
    while place < len(lines):
        line = lines[place]
        if not (_RULE.fullmatch(line) and line.strip()):
            cells = _cells(header, line) if len(line) <= LONGEST else None
            if cells is None or not any(_VALUE.fullmatch(cell) or NO_RATIO.fullmatch(cell) for cell in cells):
                break
            row = _row(header.columns, cells)
            if row is not None:
                found.append(row)
        place += 1
    return found, place


def _may_be_row(line: str) -> bool:
    """A line with several cells, one of them a number, that the header does not explain."""
    cells = _split(line) if len(line) <= LONGEST else []
    return len(cells) > 1 and any(_VALUE.fullmatch(cell) for cell, _, _ in cells)


def _row(header: list[tuple[str, str, str]], cells: list[str]) -> Row | None:
    names: list[str] = []
    ratio = fraction = maybe = None
    over = status = no_ratio = ""
    slack = 0.0
    ours: list[float] = []
    bases: dict[str, float] = {}
    for (kind, what, unit), cell in zip(header, cells, strict=True):
        value = _VALUE.fullmatch(cell)
        figure = finite(value[1]) if value else None
        given = (value[2] or "").lower() if value else ""
        if kind == "name":
            names.append(f"{what}={cell}" if value and what and len(what) <= 12 else cell)
        elif kind == "status":
            status = _status(cell) or status
        elif kind == "ratio" and (NO_RATIO.fullmatch(cell) or figure == 0):
            no_ratio = cell
        elif value is None or figure is None or figure <= 0:
            continue
        elif kind == "ratio" and ratio is None and given in ("", "x", "×"):
            ratio, over = figure, what
            slack += half_step(value[1])
        elif kind == "maybe":
            maybe = figure
        elif kind == "fraction" and given in ("", "%"):
            fraction = figure / 100 if "%" in (unit, given) else figure
        elif kind == "time" and (given or unit) in NS:
            time = figure * NS[given or unit]
            slack += half_step(value[1])
            if what in BASELINE:
                bases.setdefault(what, time)
            else:
                ours.append(time)
    name = " ".join(part for part in names if part)[:120]
    if SUMMARY.search(name) or "geo" in name.lower():
        return None  # the last line of a table is no scenario
    candidate = ours[0] if len(ours) == 1 else None
    if maybe is not None and ratio is None and len(bases) == 1:
        ratio = _checked(maybe, next(iter(bases.values())), candidate)
    if ratio is None and fraction is None and candidate is None and not status and not no_ratio:
        return None
    return Row(
        name or "row",
        ratio=ratio,
        over=over,
        fraction=fraction,
        candidate_ns=candidate,
        baselines=bases,
        status=status,
        no_ratio=no_ratio,
        slack=slack,
    )


def _checked(ratio: float, base: float, ours: float | None) -> float | None:
    """A bare ratio as baseline over candidate, where the times say which way round it is."""
    if ours is None:
        return None
    if close(base / ours, ratio, 0.05):
        return ratio
    return 1 / ratio if close(ours / base, ratio, 0.05) else None


def _status(cell: str) -> str:
    word = cell.strip().lower()
    if word in ("ok", "pass", "passed", "correct", "true", "yes", "✓", "✔", "✅"):
        return "CORRECT"
    return "WRONG" if word in ("fail", "failed", "wrong", "incorrect", "false", "no", "✗", "✘", "❌") else ""
