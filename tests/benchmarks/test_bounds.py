from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.bounds import against_itself, floors, main, most_of, seen, table
from harness.errors import JudgeError
from harness.record.record import Record
from harness.record.samples import Ceilings
from kernels.attention.operator import OPERATOR
from tests.made_records import CANDIDATE, START, made_record, store

US = 1_000
CEILINGS = Ceilings(
    bandwidth=((1024, 1e10),), operations={"float32": 5e10, "bfloat16": 1e11}, measured=datetime.now(UTC)
)


def against(off_us: float, asked_us: float) -> Record:
    """The start against itself: being asked cost so much, and of B's calls so much more."""
    record = made_record(hashes={"candidate": START})
    parts = []
    for one in record.scenarios:
        assert one.timing is not None
        cpu = {
            f"cpu_ns_{side}": tuple((round(x + cost * US), round(y + cost * US)) for x, y in raw)
            for side, raw, cost in (
                ("a", one.timing.raw_ns_a, asked_us),
                ("b", one.timing.raw_ns_b, asked_us + off_us),
            )
        }
        parts.append(one.model_copy(update={"timing": one.timing.model_copy(update=cpu)}))
    return record.model_copy(update={"scenarios": tuple(parts), "ceilings": CEILINGS})


@pytest.mark.parametrize("off_us", [30, -30])
def test_what_the_witness_sees_too_much_is_without_what_it_costs_to_be_asked(off_us: float) -> None:
    timing = against(off_us, 150).scenarios[0].timing
    assert timing is not None
    assert seen(timing).more == pytest.approx(max(0, off_us) * US)
    assert seen(timing).asked == pytest.approx((150 + off_us) * US)


def test_only_records_of_the_start_against_itself_say_anything() -> None:
    other = against(1, 1)
    other = other.model_copy(update={"hashes": other.hashes.model_copy(update={"candidate": CANDIDATE})})
    bare = against(1, 1).model_copy(update={"ceilings": None})
    good = against(1, 1)
    assert against_itself([other, bare, good]) == [good]
    with pytest.raises(JudgeError, match="No record there has the start timed against itself"):
        table([], ["attention"], "full")


def test_floors_above_the_resolution_are_counted() -> None:
    found = floors("attention", "full", CEILINGS)
    assert len(found) == len(OPERATOR.sets["full"])
    assert found == sorted(found)
    lines = table([against(20, 100)], ["attention"], "full")
    assert lines[0].startswith(
        "4 comparisons: in 95% the witness saw at most 20 µs more than a true clock; with"
    )
    assert lines[0].endswith("120 µs.")
    above = [sum(0.95 * floor > least for floor in found) for least in (20_000, 120_000)]
    assert lines[-1].endswith(f"| {above[0]} of {len(found)} | {above[1]} of {len(found)} |")
    # A floor lies between, so the two are not the same by accident.
    assert above[0] > above[1]


def test_nineteen_of_twenty_stay_under_it() -> None:
    assert most_of(range(20)) == 19
    assert most_of(range(100)) == 95


def test_a_folder_of_records_is_read(tmp_path: Path) -> None:
    store(against(20, 100), tmp_path)
    said = CliRunner().invoke(main, [str(tmp_path), "--operator", "rms_norm"])
    assert said.exit_code == 0, said.output
    assert "| rms_norm |" in said.output
