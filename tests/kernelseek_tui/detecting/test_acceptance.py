"""The detectors on labelled transcripts, with the numbers they have to reach."""

import json
from pathlib import Path

import pytest

from kernelseek_tui.detecting.flags import flags_of
from kernelseek_tui.detecting.labels import rows_of
from kernelseek_tui.detecting.score import Flagged, Score, near, score
from sessions.errors import RefusedInput
from sessions.labels import read_labels
from sessions.vocabulary import DecisionKind
from tests.cases import CASES, needs_cases


@pytest.fixture(scope="module")
def found() -> Score:
    assert CASES is not None
    folder = CASES / "traces"
    flagged: dict[str, Flagged] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.endswith("labels.json"):
            continue
        try:
            flagged[str(path.relative_to(folder))] = flags_of(path)
        except RefusedInput:
            continue
    return score(rows_of(read_labels(folder / "labels.json")), flagged)


@needs_cases
def test_wrong_moments_are_found(found: Score) -> None:
    assert found.unread == ()
    assert found.wrong.total == 17
    assert found.wrong.hits >= 0.8 * 17, found.wrong_missed


@needs_cases
def test_hard_negatives_stay_silent(found: Score) -> None:
    assert found.fired.total >= 33
    assert found.fired.hits <= 3, found.fired_names


@needs_cases
def test_alarms_are_rare(found: Score) -> None:
    assert found.per_hundred <= 2
    assert found.worst_file is not None
    assert found.worst_file[1] <= 4, found.worst_file


@needs_cases
@pytest.mark.parametrize("place", range(4))
def test_a_moment_is_found_before_the_human_speaks(place: int, tmp_path: Path) -> None:
    assert CASES is not None
    case = json.loads((CASES / "study" / "study_labels.json").read_text())["cases"][place]
    end = case["question_entry"]
    lines = (CASES / "study" / case["file"]).read_text().split("\n")[:end]
    cut = tmp_path / case["file"]
    cut.write_text("\n".join(lines) + "\n")
    kinds = {DecisionKind(kind) for kind in case["acceptable_kinds"]}
    seen = [flag for flag in flags_of(cut).flags if flag.kind in kinds]
    assert any(near(flag.line, [end], 5) for flag in seen), seen
