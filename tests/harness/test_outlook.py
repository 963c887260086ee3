"""How far an evaluation is, and how long it still takes."""

import pytest

from harness import outlook as module
from harness.outlook import Outlook
from harness.request import Progress


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def started(told: list[Progress], off_list: int = 1) -> Outlook:
    outlook = Outlook(told.append, ["a", "b"], ["a"], 4, off_list=off_list)
    outlook.start("build")
    outlook.built()
    return outlook


def checked(outlook: Outlook, clock: Clock, scenario: str, seconds: float, call_ns: int = 10**8) -> None:
    outlook.start("check", scenario)
    clock.now += seconds
    outlook.checked(call_ns)


def test_every_step_counts_and_the_guess_is_of_all_that_is_left(clock: Clock) -> None:
    told: list[Progress] = []
    outlook = started(told)
    checked(outlook, clock, "a", 2.0)
    outlook.start("check", "b")
    assert (told[-1].done, told[-1].total) == (2, 1 + 2 + 1 + 2 + 1)
    one = 10 * (0.1 + 2 * module.OVERHEAD_SECONDS)
    assert told[-1].seconds_left == pytest.approx(2 * 2.0 + 3 * one)
    clock.now += 4.0
    outlook.checked(10**8)
    checked(outlook, clock, "b~off", 3.0)
    outlook.start("time", "a")
    assert told[-1].seconds_left == pytest.approx(3 * one)
    clock.now += 2 * one
    outlook.timed(again=False)
    outlook.start("aa", "a")
    assert told[-1].seconds_left == pytest.approx(2 * 2 * one), "it took twice what was guessed"
    outlook.finish()
    assert (told[-1].done, told[-1].seconds_left) == (told[-1].total, 0.0)


def test_what_a_broken_run_had_finished_is_done(clock: Clock) -> None:
    told: list[Progress] = []
    outlook = started(told, off_list=0)
    outlook.resumed("a", 10**8, timed=True)
    outlook.resumed("b", 2 * 10**8, timed=False)
    outlook.start("time", "b")
    assert (told[-1].done, told[-1].total) == (1 + 2 + 2, 1 + 2 + 2 + 1)
    assert told[-1].seconds_left == pytest.approx(10 * (0.2 + 2 * module.OVERHEAD_SECONDS))


def test_before_anything_is_checked_there_is_no_guess(clock: Clock) -> None:
    told: list[Progress] = []
    outlook = started(told)
    outlook.resumed("a", 10**8, timed=False)
    outlook.start("check", "b")
    assert told[-1].seconds_left is None


def test_a_long_step_is_told_again(clock: Clock) -> None:
    told: list[Progress] = []
    outlook = started(told)
    outlook.start("check", "a")
    before = len(told)
    outlook.beat()
    assert len(told) == before
    clock.now += module.BEAT_SECONDS + 1
    outlook.beat()
    assert told[-1] == told[before - 1]
    assert len(told) == before + 1
