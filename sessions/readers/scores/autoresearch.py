"""`autoresearch.jsonl`: a line that says what is measured and which way is better, then a line a run.

Every such line begins a segment with a baseline of its own: the first run of it that was measured. A run
that crashed has the metric 0, which is no measurement, least of all a record.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, name_of, type_name
from sessions.readers.formats import Format
from sessions.readers.scores.rows import NS_PER, ScoreReader, nanoseconds, over, positive, said, when

_STATUS = {"keep": "CORRECT", "discard": "CORRECT", "crash": "CRASH", "checks_failed": "WRONG"}
_BASELINE = "the first measured run"


class AutoresearchReader(ScoreReader):
    """Reads such a log. Without a stated direction nothing can be better, so no ratio is made."""

    agent_name = "autoresearch"
    _name = _metric = _unit = _direction = ""
    _segment = 0
    _first: float | None = None

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """A segment's start or one run."""
        if entry.get("type") == "config":
            return list(self._config(entry))
        if "run" not in entry or "metric" not in entry:
            raise Unknown(type_name(entry))
        return list(self._run(entry))

    def _config(self, entry: Mapping[str, Any]) -> Iterable[ev.AnyEvent]:
        self._name, self._metric = said(entry.get("name")), said(entry.get("metricName"))
        self._unit, self._direction = said(entry.get("metricUnit")), said(entry.get("bestDirection"))
        self._first, self._segment = None, self._segment + 1
        yield from self.begun()
        text = f"{self._name}: {self._metric}, {self._direction or 'no direction given:'} is better"
        yield ev.Note(**self.head(), text=text[:2_000], author="log")

    def _run(self, entry: Mapping[str, Any]) -> Iterable[ev.AnyEvent]:
        self._time = when(entry.get("timestamp"))
        status = _STATUS.get(said(entry.get("status")), "NOT_RUN")
        value = positive(entry.get("metric")) if status == "CORRECT" else None
        if status == "CORRECT" and value is None:
            status = "NOT_RUN"
        if self._first is None:
            self._first = value
        pair = {"lower": (self._first, value), "higher": (value, self._first)}.get(self._direction)
        ratio = over(*pair) if pair else None
        timed = self._direction == "lower" and self._unit in NS_PER
        row = ev.ScenarioResult(
            id=self._metric or "metric",
            status=status,
            ratio=ratio,
            baseline_ns=nanoseconds(self._first, self._unit) if timed and value is not None else None,
            candidate_ns=nanoseconds(value, self._unit) if timed else None,
        )
        kept = said(entry.get("status"))[:40] or "no status"
        shown = f"{self._metric} {value:g}{self._unit}" if value is not None else "not measured"
        yield from self.row(
            status=status,
            scenario_set=self._metric + (f", segment {self._segment}" if self._segment > 1 else ""),
            baseline=_BASELINE,
            rows=(row,),
            geomean=ratio,
            name=f"run {entry['run']}" if isinstance(entry["run"], int) else "",
            detail=f"{kept}; {shown}",
            why=said(entry.get("description")),
        )


def _row(value: Mapping[str, Any]) -> bool:
    if value.get("type") == "config":
        return bool(name_of(value.get("metricName"))) and "bestDirection" in value
    return value.keys() >= {"run", "metric", "status", "commit"}


FORMAT = Format(
    "autoresearch",
    "an autoresearch.jsonl",
    lambda path, _: AutoresearchReader(path),
    row=_row,
    live=True,
)
