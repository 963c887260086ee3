import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.start_against_itself import (
    Run,
    acceptance,
    by_scenario,
    command,
    coverage,
    fewest_holding,
    lag_one,
    main,
    restore,
    row,
    wilson,
    write,
)
from harness.record.record import Record
from harness.verdict import Speed, Status
from tests.made_records import SCENARIOS, made_record, made_scenario


def made(*intervals: tuple[float, float], verdict: Speed = Speed.SAME) -> Record:
    parts = tuple(made_scenario(s, interval=i) for s, i in zip(SCENARIOS, intervals, strict=True))
    record = made_record(scenarios=parts)
    whole = record.aggregate.model_copy(
        update={"geomean": 1.0, "low": 0.99, "high": 1.01, "verdict": verdict}
    )
    return record.model_copy(update={"aggregate": whole})


def run(*intervals: tuple[float, float], verdict: Speed = Speed.SAME) -> Run:
    return replace(Run.of(made(*intervals, verdict=verdict)), load=1.25)


EVEN = ((0.99, 1.01),) * 4


def test_quiet_runs_are_accepted_and_tabulated() -> None:
    runs = [run(*EVEN), run(*EVEN[1:], (1.02, 1.05))]
    assert [(r.holding, r.count(Speed.FASTER), r.count(Speed.SLOWER)) for r in runs] == [(4, 0, 0), (3, 1, 0)]
    assert [holds for holds, _ in acceptance(runs)] == [True, True, True]
    assert row(2, runs[1]) == "| 2 | 1.0000 | 0.9900..1.0100 | SAME | 1.20% | 3/4 | 1 | 0 | 1.2 | 2 |"


def test_each_demand_can_fail_alone() -> None:
    loud = run(*EVEN, verdict=Speed.AMBIGUOUS)
    assert [holds for holds, _ in acceptance([loud])] == [False, True, True]
    apart = run(*[(1.001, 1.005)] * 3, EVEN[0])
    assert [holds for holds, _ in acceptance([apart] * 5)] == [True, False, True]
    clear = [run((1.1, 1.2), *EVEN[1:]) for _ in range(3)] + [run(*EVEN)] * 3
    assert [holds for holds, _ in acceptance(clear)] == [True, True, False]


@pytest.mark.parametrize(
    ("of", "claimed", "least"),
    [(0, 0.961, 0), (1, 0.961, 0), (4, 0.961, 2), (24, 0.961, 19), (220, 0.961, 201)],
)
def test_so_many_intervals_hold_as_the_claim_allows(of: int, claimed: float, least: int) -> None:
    def below(count: int) -> float:
        ways = (math.comb(of, k) * claimed**k * (1 - claimed) ** (of - k) for k in range(count))
        return math.fsum(ways)

    assert fewest_holding(of, claimed) == least
    assert below(least) <= 0.001 < below(least + 1)


def test_a_claim_that_is_higher_demands_more_of_the_same_number() -> None:
    found = [fewest_holding(100, claimed) for claimed in (0.5, 0.8, 0.95, 0.99, 1.0)]
    assert found == sorted(set(found))
    assert found[-1] == 100


def test_the_command_makes_the_same_page_again(tmp_path: Path) -> None:
    bare = command(20, "smoke", "attention", None, None, None)
    assert bare == "python benchmarks/start_against_itself.py --runs 20 --set smoke --operator attention"
    whole = command(2, "full", "rms_norm", "decode-*", ".venv/bin/python", Path("docs/a b.md"))
    assert whole.split(" --operator ")[1] == (
        "rms_norm --scenarios 'decode-*' --python .venv/bin/python --markdown 'docs/a b.md'"
    )


def test_runs_that_were_not_judged_are_never_accepted() -> None:
    failed = Run.of(made_record(scenarios=tuple(made_scenario(s, Status.NOT_RUN) for s in SCENARIOS)))
    assert not any(holds for holds, _ in acceptance([failed]))
    assert not any(holds for holds, _ in acceptance([]))
    assert "INFRASTRUCTURE" in row(1, failed)
    assert coverage([failed]) == ["Nothing was timed."]


def test_verdicts_are_counted_by_scenario_and_for_the_mean() -> None:
    lines = by_scenario([run(*EVEN), run((1.02, 1.05), *EVEN[1:], verdict=Speed.AMBIGUOUS)])
    assert lines[0] == "| scenario | SAME | AMBIGUOUS | FASTER | SLOWER | hold 1.0 | median width |"
    assert lines[2] == "| toy-n8 | 1 | 0 | 1 | 0 | 1/2 | 2.50% |"
    assert lines[3] == "| toy-n16 | 2 | 0 | 0 | 0 | 2/2 | 2.00% |"
    assert lines[-1] == "| **geometric mean** | 1 | 1 | 0 | 0 | 2/2 | 2.00% |"


def test_coverage_is_said_with_its_own_interval_beside_the_claim() -> None:
    said = coverage([run(*EVEN), run((1.02, 1.05), *EVEN[1:])])
    assert said[0] == "Intervals held 1.0 7 times of 8: 87.5% [52.9%, 97.8%], claimed 96.1%."
    assert said[1].startswith("The exact intervals of independent blocks")
    assert said[2] == "A/A floors: 1.20% to 1.20%, median 1.20%."
    assert "without a drift it is about -0.125" in said[3]


@pytest.mark.parametrize(
    ("held", "of", "low", "high"), [(0, 0, 0, 1), (10, 10, 0.7225, 1.0), (190, 200, 0.9104, 0.9726)]
)
def test_wilsons_interval(held: int, of: int, low: float, high: float) -> None:
    assert wilson(held, of) == pytest.approx((low, high), abs=1e-4)


def test_the_correlation_of_neighbours() -> None:
    assert lag_one([0.0, 1.0] * 4) == pytest.approx(-7 / 8)
    assert lag_one([0.5] * 8) == 0.0


def test_the_page_is_made_again_from_its_numbers(tmp_path: Path) -> None:
    page = tmp_path / "deep" / "start.md"
    runs = [run(*EVEN), run((1.02, 1.05), *EVEN[1:])]
    said = {"what": "`toy`", "command": "x", "when": "2026-01-02", "runs": [asdict(one) for one in runs]}
    write(page, said)
    numbers = page.with_suffix(".json")
    text = page.read_text()
    assert restore(json.loads(numbers.read_text())) == runs
    assert "every FASTER and SLOWER below is wrong" in text
    assert row(2, runs[1]) in text
    page.unlink()
    asked = CliRunner().invoke(main, ["--from", str(numbers), "--markdown", str(page)])
    assert (asked.exit_code, page.read_text()) == (0, text)
    assert "ok   geometric mean SAME in 2 of 2 runs (all)" in asked.output
