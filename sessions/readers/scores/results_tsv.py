"""autoresearch's `results.tsv`: `commit`, `val_bpb` (bits per byte, lower is better), ..., `status`,
`description` (columns: program.md of karpathy/autoresearch). A crash is written with the value 0.
"""

from collections.abc import Iterable
from typing import Any

from sessions import events as ev
from sessions.readers.formats import Format, Head
from sessions.readers.scores.delimited import records
from sessions.readers.scores.rows import ScoreReader, over, positive, said

_METRIC = "val_bpb"


class ResultsReader(ScoreReader):
    """Reads such a table; ratios are over its first measured row."""

    agent_name = "autoresearch"
    _first: float | None = None

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The evaluation of one row."""
        kept = said(entry.get("status")).strip().lower()
        status = "CORRECT" if kept in ("keep", "discard") else "CRASH" if kept == "crash" else "NOT_RUN"
        value = positive(entry.get(_METRIC)) if status == "CORRECT" else None
        if status == "CORRECT" and value is None:
            status = "NOT_RUN"
        if self._first is None:
            self._first = value
        ratio = over(self._first, value)
        yield from self.row(
            status=status,
            scenario_set=_METRIC,
            baseline="the first measured run",
            rows=(ev.ScenarioResult(id=_METRIC, status=status, ratio=ratio),),
            geomean=ratio,
            name=said(entry.get("commit")),
            detail=f"{kept[:40] or 'no status'}; "
            + (f"{_METRIC} {value:g}" if value is not None else "not measured"),
            why=said(entry.get("description")),
        )


def _whole(head: Head) -> bool:
    columns = head.text.split("\n", 1)[0].rstrip("\r").split("\t")
    return columns[0] == "commit" and {_METRIC, "status", "description"} <= set(columns)


FORMAT = Format(
    "autoresearch-tsv",
    "autoresearch's results.tsv",
    lambda path, _: ResultsReader(path),
    whole=_whole,
    items=records("\t", quoted=False),
)
