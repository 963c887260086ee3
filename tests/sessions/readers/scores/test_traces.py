"""OpenEvolve and FlashInfer-Bench traces."""

import json
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.state import fold
from sessions.transcript import Transcript, open_transcript
from tests.cases import CASES, needs_cases


def read(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return open_transcript(path)


def evaluations(transcript: Transcript) -> list[ev.Evaluation]:
    return [event for event in transcript.events if isinstance(event, ev.Evaluation)]


def step(number: int, parent: Any, child: Any, **more: Any) -> dict[str, Any]:
    return {
        "iteration": number,
        "timestamp": 1757000000.5,
        "parent_id": "p",
        "child_id": f"c{number}",
        "parent_metrics": parent,
        "child_metrics": child,
        **more,
    }


def test_openevolve_is_over_the_program_it_started_from(tmp_path: Path) -> None:
    transcript = read(
        tmp_path,
        step(1, {"combined_score": 0.5}, {"combined_score": 0.6}, metadata={"changes": "bigger tiles"}),
        step(2, {"combined_score": 0.6}, {"combined_score": 1.0}),
        step(3, {"combined_score": 0.6}, {"error": "does not compile"}),
        step(4, {"combined_score": 0.6}, {"combined_score": 0.0}),
    )
    assert str(transcript.format) == "openevolve"
    found = evaluations(transcript)
    assert [one.geomean for one in found] == [1.2, 2.0, None, None]
    assert [one.status for one in found] == ["PARSED", "PARSED", "CRASH", "PARSED"]
    assert [seen.event.text for seen in fold(transcript.events).notes] == ["bigger tiles"]


def flashinfer(status: str, **performance: Any) -> dict[str, Any]:
    return {
        "definition": "rmsnorm_h128",
        "workload": {"axes": {"batch_size": 7}, "inputs": {}, "uuid": "u"},
        "solution": "s1",
        "evaluation": {
            "status": status,
            "timestamp": "2026-01-02T03:04:05",
            "log": "",
            "correctness": {"max_absolute_error": 0.5},
            "performance": performance or None,
        },
    }


def test_flashinfer_status_goes_before_the_number(tmp_path: Path) -> None:
    transcript = read(
        tmp_path,
        flashinfer("PASSED", latency_ms=2.0, reference_latency_ms=1.0, speedup_factor=0.5),
        flashinfer("INCORRECT_NUMERICAL", latency_ms=0.1, reference_latency_ms=1.0, speedup_factor=10.0),
        flashinfer("REWARD_HACK"),
        {**flashinfer("PASSED"), "evaluation": None},
    )
    assert str(transcript.format) == "flashinfer-bench"
    assert transcript.unknown == {"workload without an evaluation": 1}
    found = evaluations(transcript)
    assert [(one.status, one.geomean) for one in found] == [
        ("CORRECT", 0.5),
        ("WRONG", None),
        ("POLICY", None),
    ]
    assert found[0].scenarios[0].id == "batch_size=7"
    assert found[0].scenario_set == "rmsnorm_h128"


@needs_cases
def test_recorded_flashinfer_traces() -> None:
    assert CASES is not None
    found = evaluations(open_transcript(CASES / "traces" / "scores" / "F45_flashinfer_bench_traces.jsonl"))
    assert len(found) == 9
    assert all(one.status == "CORRECT" and one.geomean for one in found)
    assert len({one.scenario_set for one in found}) == 9
