"""OpenEvolve's `evolution_trace.jsonl`: a line a step, with the metrics of parent and child.

The score is `combined_score`, which OpenEvolve ranks by (higher is better). Fields: `EvolutionTrace` of
openevolve's evolution_trace.py.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import mapping_of, name_of
from sessions.readers.formats import Format
from sessions.readers.scores.rows import ScoreReader, number, over, positive, said, when

_SCORE = "combined_score"


class OpenEvolveReader(ScoreReader):
    """Reads such a trace. The baseline is the first parent: the program that was started from.

    A step without the score is one that failed; an island is no series, since programs migrate.
    """

    agent_name = "OpenEvolve"
    _first: float | None = None

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The evaluation of one child."""
        self._time = when(entry.get("timestamp"))
        child, parent = mapping_of(entry.get("child_metrics")), mapping_of(entry.get("parent_metrics"))
        if self._first is None:
            self._first = positive(parent.get(_SCORE)) or positive(child.get(_SCORE))
        score = number(child.get(_SCORE))
        failed = said(child.get("error")) or ("no combined_score" if score is None else "")
        status = "CRASH" if failed else "PARSED"
        ratio = None if failed else over(score, self._first)
        shown = failed or f"{_SCORE} {score:g}"
        yield from self.row(
            status=status,
            scenario_set=_SCORE,
            baseline="the first program",
            rows=(ev.ScenarioResult(id=_SCORE, status=status, ratio=ratio),),
            geomean=ratio,
            name=name_of(entry.get("child_id")),
            detail=f"step {entry.get('iteration')}; {shown}"[:400],
            why=_why(entry),
        )


def _why(entry: Mapping[str, Any]) -> str:
    said_so = mapping_of(entry.get("metadata")).get("changes")
    described = said(entry.get("child_changes_description"))
    return said(said_so) or described


def _row(value: Mapping[str, Any]) -> bool:
    return value.keys() >= {"iteration", "child_id", "parent_id", "child_metrics", "parent_metrics"}


FORMAT = Format(
    "openevolve",
    "an evolution_trace.jsonl of OpenEvolve",
    lambda path, _: OpenEvolveReader(path),
    row=_row,
    live=True,
)
