from benchmarks.start_against_itself import Tally, acceptance, row
from harness.record import Record
from harness.verdict import Speed, Status
from tests.made_records import SCENARIOS, made_record, made_scenario


def run(*intervals: tuple[float, float], verdict: Speed = Speed.SAME) -> Record:
    parts = tuple(made_scenario(s, interval=i) for s, i in zip(SCENARIOS, intervals, strict=True))
    record = made_record(scenarios=parts)
    whole = record.aggregate.model_copy(
        update={"geomean": 1.0, "low": 0.99, "high": 1.01, "verdict": verdict}
    )
    return record.model_copy(update={"aggregate": whole})


EVEN = ((0.99, 1.01),) * 4


def test_quiet_runs_are_accepted_and_tabulated() -> None:
    tallies = [Tally.of(run(*EVEN)), Tally.of(run(*EVEN[1:], (1.02, 1.05)))]
    assert [(t.holding, t.faster, t.slower) for t in tallies] == [(4, 0, 0), (3, 1, 0)]
    assert [holds for holds, _ in acceptance(tallies)] == [True, True, True]
    assert row(2, tallies[1]) == "| 2 | 1.0000 | 0.9900..1.0100 | SAME | 1.20% | 3/4 | 1 | 0 | 2 |"


def test_each_demand_can_fail_alone() -> None:
    loud = Tally.of(run(*EVEN, verdict=Speed.AMBIGUOUS))
    assert [holds for holds, _ in acceptance([loud])] == [False, True, True]
    apart = Tally.of(run((1.001, 1.005), *EVEN[1:]))
    assert [holds for holds, _ in acceptance([apart])] == [True, False, True]
    clear = [Tally.of(run((1.1, 1.2), *EVEN[1:])) for _ in range(3)] + [Tally.of(run(*EVEN))] * 3
    assert [holds for holds, _ in acceptance(clear)] == [True, True, False]


def test_runs_that_were_not_judged_are_never_accepted() -> None:
    failed = made_record(scenarios=tuple(made_scenario(s, Status.NOT_RUN) for s in SCENARIOS))
    assert not any(holds for holds, _ in acceptance([Tally.of(failed)]))
    assert not any(holds for holds, _ in acceptance([]))
    assert "INFRASTRUCTURE" in row(1, Tally.of(failed))
