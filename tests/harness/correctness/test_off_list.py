"""Shapes that are on no list: chosen in secret, spread over families, checked like the rest, never timed."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks import Check
from harness.correctness import off_list
from harness.goal import default_goal
from harness.goal_check import check_goal
from harness.operator import Scenario
from harness.record.record import Record
from harness.verdict import Outcome, Status
from tests.harness.conftest import PROTOCOL, Bench
from tests.harness.toy import FIRST, SECOND, START, Toy, candidate
from tests.made_records import CANDIDATE, made_manifest, made_record, made_shape

FAMILIES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=40)


def listed(families: list[str]) -> list[Scenario]:
    return [Scenario(f"{family}-{n}", family, {"rows": n}) for n, family in enumerate(families)]


@given(FAMILIES, st.integers(0, 2**64 - 1), st.floats(0.0, 1.0))
def test_as_many_families_as_can_be_are_varied(families: list[str], root: int, share: float) -> None:
    scenarios = listed(families)
    count = off_list.wanted(len(scenarios), share)
    chosen = off_list.chosen(scenarios, count, root)
    assert len(chosen) == len({one.id for one in chosen}) == count
    assert max(1, share * len(scenarios)) <= count <= len(scenarios)
    assert len({one.family for one in chosen}) == min(count, len(set(families)))


def test_which_ones_is_decided_by_the_root() -> None:
    scenarios = listed(list("aabbccdd"))
    drawn = {tuple(one.id for one in off_list.chosen(scenarios, 2, root)) for root in range(30)}
    assert len(drawn) > 10
    assert off_list.chosen(scenarios, 2, 7) == off_list.chosen(scenarios, 2, 7)


@dataclass
class Stuck(Toy):
    """Its shapes are those of the list, or none."""

    raises: bool = False
    asked: list[int] = field(default_factory=list)

    def off_list(self, scenario: Scenario, seed: int) -> Scenario:
        self.asked.append(seed)
        if self.raises:
            raise ValueError("nothing\nto vary")
        return Scenario(f"{scenario.id}~same", scenario.family, dict(SECOND.params))


def test_a_shape_that_is_on_a_list_is_none() -> None:
    assert off_list.varied(Stuck(), FIRST, 1, 0) == "toy-32~same is toy-40, which is on a list"
    assert off_list.varied(Stuck(raises=True), FIRST, 1, 0) == "ValueError: nothing to vary"
    assert isinstance(off_list.varied(Toy(), FIRST, 1, 0), Scenario)


def shape(record: Record) -> tuple[str, Status, str]:
    [one] = record.off_list
    return one.id, one.status, one.check


def test_a_right_candidate_is_right_off_the_list_and_untimed_there(bench: Bench) -> None:
    record = bench.judge(START, check_only=True)
    [one] = record.off_list
    assert one.status is Status.CORRECT
    assert one.id not in ("toy-32", "toy-40")
    assert one.admitted
    assert one.timing is None
    assert [result.input_set for result in one.correctness] == ["nominal", "large"]
    assert one.seed not in {"", *(scenario.seed for scenario in record.scenarios)}
    other = bench.judge(START, check_only=True)
    assert other.off_list[0].seed != one.seed


LISTED_ONLY = candidate(after="if (p->cols != 64 && p->cols != 48) for (int i = 0; i < 9; ++i) out[i] = 0;")


def test_a_candidate_that_is_right_on_the_list_alone_is_wrong(bench: Bench) -> None:
    record = bench.judge(LISTED_ONLY)
    assert [one.status for one in record.scenarios] == [Status.CORRECT] * 2
    name, status, check = shape(record)
    assert status is Status.WRONG
    assert check not in ("", Check.OFF_LIST)
    assert record.status is Outcome.WRONG
    assert record.aggregate.score == 0.0
    assert f"off_list: shape {name}, which is on no list, is WRONG: {check}: " in record.summary
    assert all(one.timing is None for one in record.scenarios)


def test_without_that_check_it_passes(bench: Bench) -> None:
    off = replace(PROTOCOL, off=frozenset({Check.OFF_LIST}))
    record = bench.judge(LISTED_ONLY, protocol=off, check_only=True)
    assert record.off_list == ()
    assert record.status is Outcome.CORRECT


def test_unsupported_off_the_list_is_honest(bench: Bench) -> None:
    source = candidate(before="if (p->cols != 64 && p->cols != 48) return KS_UNSUPPORTED;")
    record = bench.judge(source, check_only=True)
    assert shape(record)[1] is Status.UNSUPPORTED
    assert record.status is Outcome.UNSUPPORTED
    assert "which is on no list, is UNSUPPORTED" in record.summary


def test_a_glob_varies_what_it_selects(bench: Bench) -> None:
    record = bench.judge(START, scenarios="*-40", check_only=True)
    assert shape(record)[0].startswith("toy-40~")


@pytest.mark.parametrize("raises", [False, True])
def test_a_shape_that_cannot_be_had_is_left_out_and_noted(bench: Bench, raises: bool) -> None:
    operator = Stuck(raises=raises)
    record = bench.judge(START, operator=operator, check_only=True)
    assert record.status is Outcome.CORRECT
    assert record.off_list == ()
    assert "No shape off the list could be checked" in record.notes[0]
    assert len(set(operator.asked)) == off_list.TRIES


def test_a_shape_that_the_start_cannot_do_is_left_out_and_noted(bench: Bench) -> None:
    wrong = bench.folder / "start_off_list.cpp"
    wrong.write_text(candidate(after="if (p->cols != 64 && p->cols != 48) out[0] += 100.f;"))
    record = bench.judge(START, operator=Toy(start=wrong), check_only=True)
    assert record.status is Outcome.CORRECT
    assert record.off_list == ()
    assert "INVALID_REFERENCE" in record.notes[0]


def test_an_admission_off_the_list_is_not_remembered(bench: Bench, tmp_path: Path) -> None:
    bench.judge(START, check_only=True, cache=tmp_path)
    assert len(list((tmp_path / "admissions").iterdir())) == 2


@pytest.mark.parametrize(
    ("status", "met"), [(Status.CORRECT, True), (Status.WRONG, False), (Status.UNSUPPORTED, False)]
)
def test_the_goal_is_unmet_where_a_shape_off_the_list_is_not_correct(status: Status, met: bool) -> None:
    record = made_record(off_list=(made_shape(status),))
    report = check_goal(default_goal("demo", 1.8), made_manifest(), record, CANDIDATE)
    assert report.met is met, report.reason
