"""FlashInfer-Bench traces: a line an evaluation of one solution on one workload of a definition.

`speedup_factor` is over the definition's own reference implementation, which is written to be read, not to
be fast (FlashInfer Trace schema).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of
from sessions.readers.formats import Format
from sessions.readers.scores.rows import ScoreReader, nanoseconds, number, positive, said, when

_STATUS = {
    "PASSED": "CORRECT",
    "INCORRECT_SHAPE": "WRONG",
    "INCORRECT_NUMERICAL": "WRONG",
    "INCORRECT_DTYPE": "WRONG",
    "RUNTIME_ERROR": "CRASH",
    "COMPILE_ERROR": "BUILD_FAILED",
    "TIMEOUT": "TIMEOUT",
    "REWARD_HACK": "POLICY",
    "INVALID_REFERENCE": "INVALID_REFERENCE",
}
_LOG = 600  # characters of an evaluation's log


class FlashInferReader(ScoreReader):
    """Reads such traces. Each definition is a series; its workloads are the scenarios, one a line."""

    agent_name = "FlashInfer-Bench"

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The evaluation of one line. A workload that is only declared has none yet."""
        evaluation = mapping_of(entry.get("evaluation"))
        if not evaluation:
            raise Unknown("workload without an evaluation")
        self._time = when(evaluation.get("timestamp"))
        workload, measured = mapping_of(entry.get("workload")), mapping_of(evaluation.get("performance"))
        word = said(evaluation.get("status"))
        status = _STATUS.get(word, "NOT_RUN")
        ratio = positive(measured.get("speedup_factor")) if status == "CORRECT" else None
        error = number(mapping_of(evaluation.get("correctness")).get("max_absolute_error"))
        row = ev.ScenarioResult(
            id=_workload(workload),
            family=name_of(entry.get("definition"))[:200],
            status=status,
            ratio=ratio,
            baseline_ns=nanoseconds(measured.get("reference_latency_ms"), "ms"),
            candidate_ns=nanoseconds(measured.get("latency_ms"), "ms"),
            detail="" if error is None else f"largest absolute error {error:.3g}",
        )
        yield from self.row(
            status=status,
            scenario_set=name_of(entry.get("definition")),
            baseline="the definition's reference",
            rows=(row,),
            geomean=ratio,
            name=name_of(entry.get("solution")),
            detail=f"{word[:40] or 'no status'}; {row.detail}".rstrip("; "),
            why=said(evaluation.get("log"))[-_LOG:],
        )


def _workload(workload: Mapping[str, Any]) -> str:
    axes = mapping_of(workload.get("axes"))
    words = " ".join(f"{name}={size}" for name, size in axes.items() if isinstance(size, int))
    return words[:200] or name_of(workload.get("uuid"))[:80] or "workload"


def _row(value: Mapping[str, Any]) -> bool:
    return value.keys() >= {"definition", "workload", "evaluation"} and isinstance(value["definition"], str)


FORMAT = Format(
    "flashinfer-bench",
    "FlashInfer-Bench traces",
    lambda path, _: FlashInferReader(path),
    row=_row,
    live=True,
)
