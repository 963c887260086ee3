import pytest

from harness.protocol import Protocol
from harness.timing.samples import Misbehaved, Samples, compare_clocks

MS = 1_000_000


def samples(unseen_a: list[int], unseen_b: list[int], ns: int = 5 * MS) -> Samples:
    """Two calls a block of `ns` each, of which the judge's clock saw so much more."""
    made = Samples()
    for side, unseen in (("a", unseen_a), ("b", unseen_b)):
        pairs = list(zip(unseen[::2], unseen[1::2], strict=True))
        made.raw[side] = [(ns, ns) for _ in pairs]
        made.outside_ns[side] = [(ns + first, ns + second) for first, second in pairs]
    return made


def test_time_that_only_the_judges_clock_saw_is_refused() -> None:
    with pytest.raises(
        Misbehaved, match=r"missed 4 ms more than for the baseline, limit 1\.\d+ ms"
    ) as refused:
        compare_clocks(samples([100_000] * 16, [4 * MS + 100_000] * 16), Protocol())
    assert refused.value.side == "b"
    assert refused.value.violation.check == "clock"


def test_a_busy_machine_that_delays_both_sides_is_no_cheat() -> None:
    compare_clocks(samples([6 * MS] * 16, [6 * MS] * 16), Protocol())


def test_half_of_the_wake_ups_late_is_no_cheat() -> None:
    compare_clocks(samples([100_000] * 16, [100_000, 4 * MS] * 8), Protocol())


def test_a_shorter_outside_time_is_fine() -> None:
    compare_clocks(samples([500_000] * 8, [90_000] * 8), Protocol())
