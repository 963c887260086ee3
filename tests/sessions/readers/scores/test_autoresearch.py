"""autoresearch logs: the direction counts, a crash is no measurement."""

import json
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.state import fold
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases


def config(direction: str | None = "lower", name: str = "time_us", unit: str = "us") -> dict[str, Any]:
    return {"type": "config", "name": "n", "metricName": name, "metricUnit": unit, "bestDirection": direction}


def run(number: int, metric: Any, status: str = "keep", **more: Any) -> dict[str, Any]:
    return {"run": number, "commit": "c", "metric": metric, "status": status, "description": "d", **more}


def read(tmp_path: Path, *rows: dict[str, Any]) -> list[ev.Evaluation]:
    path = tmp_path / "autoresearch.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    transcript = open_transcript(path)
    assert str(transcript.format) == "autoresearch"
    return [event for event in transcript.events if isinstance(event, ev.Evaluation)]


def test_lower_is_better(tmp_path: Path) -> None:
    found = read(tmp_path, config(), run(1, 100), run(2, 200, "discard"), run(3, 50))
    assert [one.geomean for one in found] == [1.0, 0.5, 2.0]
    assert found[2].scenarios[0].candidate_ns == 50_000


def test_higher_is_better(tmp_path: Path) -> None:
    found = read(tmp_path, config("higher", "tps", ""), run(1, 100), run(2, 200))
    assert [one.geomean for one in found] == [1.0, 2.0]
    assert found[1].scenarios[0].candidate_ns is None


def test_a_crash_is_neither_a_record_nor_the_baseline(tmp_path: Path) -> None:
    found = read(tmp_path, config(), run(1, 0, "crash"), run(2, 100), run(3, 0, "crash"), run(4, 5, "crash"))
    assert [one.geomean for one in found] == [None, 1.0, None, None]
    assert [one.status for one in found] == ["CRASH", "CORRECT", "CRASH", "CRASH"]


def test_a_kept_zero_is_no_measurement(tmp_path: Path) -> None:
    (found,) = read(tmp_path, config(), run(1, 0))
    assert (found.status, found.geomean) == ("NOT_RUN", None)


def test_without_a_direction_nothing_is_better(tmp_path: Path) -> None:
    found = read(tmp_path, config(None), run(1, 100), run(2, 50))
    assert [one.geomean for one in found] == [None, None]


def test_a_new_segment_has_a_baseline_of_its_own(tmp_path: Path) -> None:
    found = read(tmp_path, config(), run(1, 100), config("higher", "tps", ""), run(2, 7), run(3, 14))
    assert [one.geomean for one in found] == [1.0, 1.0, 2.0]
    assert len({one.scenario_set for one in found}) == 2


def test_times_in_seconds_and_milliseconds(tmp_path: Path) -> None:
    found = read(
        tmp_path, config(), run(1, 1, timestamp=1773348490), run(2, 1, timestamp=1773348490227), run(3, 1)
    )
    assert [one.time.year if one.time else None for one in found] == [2026, 2026, None]


@needs_cases
def test_recorded_logs() -> None:
    assert CASES is not None
    folder = CASES / "traces" / "scores"
    lower = fold(open_transcript(folder / "F49_autoresearch_lower_is_better.jsonl").events)
    assert lower.best is not None
    assert lower.best.event.evaluation == "run 21"
    assert round(lower.best.event.geomean or 0, 3) == round(3818 / 3314, 3)
    never = fold(open_transcript(folder / "F50_autoresearch_never_measured.jsonl").events)
    assert never.best is None
    assert {seen.event.status for seen in never.evaluations} == {"CRASH"}


def test_results_tsv(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_text(
        "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n"
        'a\t1.0\t44.0\tkeep\tbaseline\nb\t0.8\t44.2\tkeep\tsays "more"\n'
        "c\t0.000000\t0.0\tcrash\tOOM\nd\t1.25\t44\tdiscard\tGeLU\n"
    )
    transcript = open_transcript(path)
    assert str(transcript.format) == "autoresearch-tsv"
    found = [event for event in transcript.events if isinstance(event, ev.Evaluation)]
    assert [one.geomean for one in found] == [1.0, 1.25, None, 0.8]
    notes = [event.text for event in transcript.events if isinstance(event, ev.Note)]
    assert notes[1] == 'says "more"'
    assert [event.source.line for event in found if event.source] == [1, 2, 3, 4]
