import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.contracts.numbers import (
    CLOSE,
    gives_one_of,
    has_number,
    numbers,
    quotes_number,
    telling,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it took 12.5 us, or 3 %", [12.5, 3.0]),
        ("1.40x over the start, 1,024 bytes", [1.4, 1024.0]),
        ("peak is 3.35TB/s; 2e-3 s", [3.35, 2e-3]),
        ("memory bound", []),
        ("1. first idea\n2) second idea\n- 3. third", []),
        ("see kernel.cu:118 and lines 40-60, issue #12", []),
        ("fp32 d64 sm_90 h100 on 2026-11-29 with 13.0.88", []),
        ("", []),
    ],
)
def test_readings_are_told_from_names_and_places(text: str, found: list[float]) -> None:
    assert list(numbers(text)) == found
    assert has_number(text) is bool(found)


@pytest.mark.parametrize(
    ("text", "output", "quoted"),
    [
        ("about 42 us are spent there", "gap 42.37 us", True),
        ("about 37 us are spent there", "gap 42.37 us", False),
        ("3 of them", "3 launches", False),
        ("0.31 of peak", "0.3088", True),
        ("no number here", "42.37", False),
    ],
)
def test_a_quoted_number_may_be_rounded(text: str, output: str, quoted: bool) -> None:
    assert quotes_number(text, output) is quoted


_NUMBERS = st.lists(st.decimals(0, 1000, places=2).map(float), max_size=6)


@given(_NUMBERS, _NUMBERS)
def test_looking_in_order_finds_what_looking_at_all_finds(said: list[float], read: list[float]) -> None:
    text, output = (" , ".join(f"{number:.2f}" for number in numbers) for numbers in (said, read))
    readings = telling(output)
    expected = any(abs(one - other) <= CLOSE * other for one in said for other in readings)
    assert gives_one_of(text, readings) is expected
