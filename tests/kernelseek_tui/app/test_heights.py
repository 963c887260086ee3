from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.app.heights import Heights


@given(
    st.lists(st.integers(0, 9), max_size=60),
    st.lists(st.integers(0, 9), max_size=30),
    st.lists(st.tuples(st.integers(0, 89), st.integers(0, 9)), max_size=30),
)
def test_agrees_with_plain_sums(first: list[int], added: list[int], changes: list[tuple[int, int]]) -> None:
    heights, plain = Heights(first), list(first)
    for rows in added:
        heights.append(rows)
        plain.append(rows)
    for entry, rows in changes:
        if entry < len(plain):
            heights.set(entry, rows)
            plain[entry] = rows
    assert [heights.top(entry) for entry in range(len(plain) + 1)] == [
        sum(plain[:entry]) for entry in range(len(plain) + 1)
    ]
    owners = [(entry, inside) for entry, rows in enumerate(plain) for inside in range(rows)]
    assert [heights.find(row) for row in range(len(owners))] == owners


def test_finding_past_the_ends_is_clamped() -> None:
    heights = Heights([2, 3])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (1, 2)
    assert Heights().find(3) == (0, 0)
