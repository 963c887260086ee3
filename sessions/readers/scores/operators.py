"""Journals of a search over several operators at once, a candidate a line: `operator`, `arm`, `speedup`, ...

Each operator under each arm is a series of its own. `error_type` goes before `correct`: rows are found that
call a candidate correct although it crashed, and wrong candidates with a speed-up.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, name_of, type_name
from sessions.readers.formats import Format
from sessions.readers.scores.rows import ScoreReader, nanoseconds, positive, said, when

_STATUS = {
    "": "CORRECT",
    "wrong_output": "WRONG",
    "cheat": "POLICY",
    "compile": "BUILD_FAILED",
    "runtime": "CRASH",
    "timeout": "TIMEOUT",
    "genfail": "NOT_RUN",
}
_TAIL = 400  # characters at the end of an error: its last lines say what it was


class OperatorsReader(ScoreReader):
    """Reads such a journal. The baseline is PyTorch, whose time stands in every row."""

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The evaluation of one candidate."""
        return list(self._candidate(entry))

    def _candidate(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        operator, arm = name_of(entry.get("operator")), name_of(entry.get("arm"))
        if not operator:
            raise Unknown(type_name(entry))
        self._time = when(entry.get("timestamp"))
        error = said(entry.get("error_type"))
        right = entry.get("correct") is True
        status = _STATUS.get(error, "WRONG") if error or right else "WRONG"
        ratio = positive(entry.get("speedup"))
        if status == "CORRECT" and ratio is None:
            status = "NOT_RUN"
        ours = nanoseconds(entry.get("triton_ms"), "ms")
        used = positive(entry.get("bw_utilization"))
        scenario = ev.ScenarioResult(
            id=operator,
            status=status,
            ratio=ratio if status == "CORRECT" else None,
            baseline_ns=nanoseconds(entry.get("pytorch_ms"), "ms"),
            candidate_ns=ours,
            bound_ns=ours * used if ours is not None and used is not None else None,
            detail=_detail(entry, status, ratio),
        )
        yield from self.row(
            status=status,
            scenario_set="/".join(part for part in (arm, operator) if part),
            baseline="pytorch",
            rows=(scenario,),
            geomean=scenario.ratio,
            name=name_of(entry.get("node_id")),
            detail=scenario.detail,
            why=_why(entry),
        )


def _detail(entry: Mapping[str, Any], status: str, ratio: float | None) -> str:
    parts = []
    if status != "CORRECT":
        parts.append(said(entry.get("error_type")) or "not correct")
        if ratio is not None:
            parts.append(f"its {ratio:.3g}x does not count")
    if (used := positive(entry.get("bw_utilization"))) is not None:
        parts.append(f"{used:.3g} of peak bandwidth")
    if (worst := positive(entry.get("max_abs_err"))) is not None:
        parts.append(f"largest absolute error {worst:.3g}")
    return "; ".join(parts)


def _why(entry: Mapping[str, Any]) -> str:
    strategy, message = said(entry.get("strategy")), said(entry.get("error_msg")).strip()
    bottleneck = said(entry.get("bottleneck"))
    what = f"{strategy} ({bottleneck})" if strategy and bottleneck else strategy or bottleneck
    return "\n".join(part for part in (what, message[-_TAIL:]) if part)


def _row(value: Mapping[str, Any]) -> bool:
    return value.keys() >= {"node_id", "operator", "speedup", "correct", "error_type"} and isinstance(
        value["operator"], str
    )


FORMAT = Format(
    "operator-journal",
    "a journal of a search over operators",
    lambda path, _: OperatorsReader(path),
    row=_row,
    live=True,
)
