import pytest
from hypothesis import given
from hypothesis import strategies as st

from bank.effects.intervals import Share, middle, share_difference


def test_wilson_against_published_values() -> None:
    # 0.6 of 10, 20 and 80: the figures of the usual tables
    for hits, total, low, high in ((6, 10, 0.313, 0.832), (12, 20, 0.387, 0.781), (48, 80, 0.490, 0.700)):
        found = Share(hits, total).interval
        assert found is not None
        assert found == pytest.approx((low, high), abs=0.001)
    assert Share(0, 0).interval is None
    assert Share(0, 0).value is None


@given(st.integers(1, 200), st.data())
def test_wilson_holds_its_share_and_stays_inside(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    found = Share(hits, total).interval
    assert found is not None
    assert 0 <= found[0] <= hits / total <= found[1] <= 1


def test_newcombe_against_his_own_example() -> None:
    # R. G. Newcombe 1998, Statistics in Medicine 17, table II (a): 56/70 less 48/80, method 10
    found = share_difference(Share(56, 70), Share(48, 80))
    assert found == pytest.approx((0.2, 0.0524, 0.3339), abs=0.0001)
    assert share_difference(Share(1, 1), Share(0, 0)) is None


def test_a_median_has_an_interval_from_five_values_on() -> None:
    assert middle([]).median is None
    few = middle([3.0, 1.0, 2.0, 9.0])
    assert (few.values, few.median, few.low) == ((1.0, 2.0, 3.0, 9.0), 2.5, None)
    five = middle([5.0, 1.0, 2.0, 3.0, 4.0])
    assert (five.median, five.low, five.high) == (3.0, 1.0, 5.0)
    assert five.coverage == pytest.approx(1 - 2 / 32)
    # of ten the second and the ninth: 97.9 %, the usual sign-test interval
    ten = middle([float(value) for value in range(1, 11)])
    assert (ten.low, ten.high) == (2.0, 9.0)
    assert ten.coverage == pytest.approx(0.97852, abs=1e-5)
