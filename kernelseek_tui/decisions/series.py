"""Times and ratios measured over a session, by what was measured: candidate, baseline and their ratio.

From evaluations where there are any, else from lines of a command's output that print all three, such as
`shape n=2048: solution 0.43 ms | baseline 5.8 ms | speedup 13.5x`. What is the same row of another
measurement is told by the words before the first figure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from kernelseek_tui.decisions.wins import RIGHT, UNCHECKED
from sessions import events as ev

_TIME = r"[ \t:=(]{0,6}(\d+(?:\.\d+)?) ?(?:ns|us|µs|μs|ms|s)\b"
_BASE = re.compile(
    rf"\b(?:baseline|reference|ref|eager|torch|pytorch|before)\w*(?:[_ ](?:time|ms|us))?{_TIME}",
    re.IGNORECASE,
)
_MINE = re.compile(
    rf"\b(?:solution|candidate|cand|kernel|triton|ours|custom|optimi[sz]ed|after)\w*(?:[_ ](?:time|ms|"
    rf"us))?{_TIME}",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\b(?:speed-?up|ratio)\b[ \t:=]{1,4}(\d+(?:\.\d+)?)", re.IGNORECASE)
KEPT = 40
SLOWER, BETTER, SAME = 1.2, 1.15, 0.95


@dataclass(frozen=True, slots=True)
class Row:
    """One measured row: baseline and candidate in one unit, and baseline over candidate."""

    key: str
    baseline: float
    candidate: float
    ratio: float
    quote: str
    correct: bool = True


def rows_of_output(output: str) -> Iterator[Row]:
    """Rows that an output prints with both times and their ratio."""
    if "speed" not in output and "Speed" not in output and "ratio" not in output:
        return
    for line in output.split("\n"):
        base, mine, ratio = _BASE.search(line), _MINE.search(line), _RATIO.search(line)
        if not (base and mine and ratio and float(base[1]) and float(mine[1])):
            continue
        key = line[: min(base.start(), mine.start(), ratio.start())].strip(" \t:|-,")
        yield Row(key, float(base[1]), float(mine[1]), float(ratio[1]), " ".join(line.split())[:200])


def rows_of_evaluation(event: ev.Evaluation) -> Iterator[Row]:
    """The scenarios of an evaluation for which both times are known."""
    for row in event.scenarios:
        if row.baseline_ns and row.candidate_ns:
            ratio = row.ratio if row.ratio is not None else row.baseline_ns / row.candidate_ns
            quote = (
                f"{row.id}: {ratio:.3g}x, baseline {row.baseline_ns / 1000:.4g} us, "
                f"candidate {row.candidate_ns / 1000:.4g} us"
            )
            correct = row.status.upper() in RIGHT | UNCHECKED
            yield Row(
                f"{event.scenario_set}/{row.id}", row.baseline_ns, row.candidate_ns, ratio, quote, correct
            )


@dataclass(slots=True)
class Series:
    """What each row measured so far."""

    _past: dict[str, list[Row]] = field(default_factory=dict)

    def slowed(self, rows: Sequence[Row]) -> tuple[Row, Row] | None:
        """A row whose ratio rose because its baseline slowed, with an earlier one of the same; then keep all.

        The ratio stands above every earlier one, the baseline is a fifth slower than its median so far, and
        the candidate is no faster than its best.
        """
        found = next((pair for row in rows if (pair := self._slowed(row)) is not None), None)
        for row in rows:
            if row.correct:
                self._past.setdefault(row.key, []).append(row)
                del self._past[row.key][:-KEPT]
        return found

    def _slowed(self, row: Row) -> tuple[Row, Row] | None:
        past = self._past.get(row.key)
        if not past or not row.correct:
            return None
        base = median(old.baseline for old in past)
        fastest = min(past, key=lambda old: old.candidate)
        best = max(old.ratio for old in past if old.baseline <= base * SLOWER)
        if row.ratio < best * BETTER or row.baseline < base * SLOWER:
            return None
        # What the gain would be with the usual baseline.
        return (
            (row, fastest)
            if base / row.candidate < best * BETTER or row.candidate >= fastest.candidate * SAME
            else None
        )
