from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.window import Window


class Store:
    """Entries with a true height and a wrong estimate."""

    def __init__(self, real: list[int], guessed: list[int]) -> None:
        self.real, self.guessed = real, guessed
        self.drawn: list[int] = []

    def rows(self, entry: int) -> list[Line]:
        self.drawn.append(entry)
        return [((f"{entry}.{row}", "text"),) for row in range(self.real[entry])]

    def window(self, height: int) -> Window:
        window = Window(self.rows, lambda entry: self.guessed[entry])
        window.height = height
        window.grow(len(self.real))
        return window


def shown(window: Window) -> list[str]:
    out = []
    for row in range(window.height):
        found = window.locate(row)
        out.append("" if found is None else window.rows(found[0])[found[1]][0][0])
    return out


sizes = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=1, max_size=60)


@settings(max_examples=60)
@given(sizes, st.integers(3, 12), st.lists(st.integers(-7, 7), max_size=25))
def test_scrolling_shows_consecutive_rows_and_moves_by_what_was_asked(
    pairs: list[tuple[int, int]], height: int, steps: list[int]
) -> None:
    store = Store([real for real, _ in pairs], [guess for _, guess in pairs])
    window = store.window(height)
    window.show(len(pairs))
    everything = [f"{entry}.{row}" for entry, (real, _) in enumerate(pairs) for row in range(real)]
    assert [row for row in shown(window) if row] == everything[-height:]
    for step in steps:
        before = shown(window)
        window.scroll_to(window.top + step)
        after = shown(window)
        at = everything.index(after[0])
        assert [row for row in after if row] == everything[at : at + height]
        if step < 0 and at > 0:
            assert at == everything.index(before[0]) + step


def test_only_what_is_in_view_is_laid_out() -> None:
    store = Store([3] * 10_000, [2] * 10_000)
    window = store.window(40)
    window.show(10_000)
    assert len(set(store.drawn)) < 30


def test_following_shows_new_entries_and_growth_of_the_last() -> None:
    store = Store([1] * 20, [1] * 20)
    window = store.window(5)
    window.show(10)
    assert shown(window)[-1] == "9.0"
    window.show(11)
    assert shown(window)[-1] == "10.0"
    store.real[10] = 4
    window.forget([10])
    assert shown(window)[-1] == "10.3"


def test_a_reader_is_not_moved_by_news() -> None:
    store = Store([2] * 50, [5] * 50)
    window = store.window(6)
    window.show(20)
    window.scroll_to(window.top - 7)
    before = shown(window)
    window.show(50)
    assert not window.follow
    assert shown(window) == before


def test_a_correction_above_does_not_move_the_reader() -> None:
    store = Store([2] * 50, [2] * 50)
    window = store.window(6)
    window.show(50)
    window.scroll_to(40)
    before = shown(window)
    store.real[3] = 30
    window.forget([3])
    window.heights.set(3, 30)
    window.top += 28
    assert shown(window) == before


def test_reset_keeps_the_entry_at_the_top() -> None:
    store = Store([2] * 50, [2] * 50)
    window = store.window(6)
    window.show(50)
    window.scroll_to(31)
    before = window.locate(0)
    store.real = [5] * 50
    store.guessed = [4] * 50
    window.reset(50)
    after = window.locate(0)
    assert before is not None
    assert after is not None
    assert after[0] == before[0]


@given(sizes, st.integers(3, 12), st.data())
def test_reveal_brings_an_entry_into_view(
    pairs: list[tuple[int, int]], height: int, data: st.DataObject
) -> None:
    store = Store([real for real, _ in pairs], [guess for _, guess in pairs])
    window = store.window(height)
    window.show(len(pairs))
    for _ in range(5):
        entry = data.draw(st.integers(0, len(pairs) - 1))
        window.reveal(entry)
        rows = [row for row in shown(window) if row.startswith(f"{entry}.")]
        assert len(rows) == min(height, store.real[entry])


def test_nothing_beyond_known_is_located() -> None:
    store = Store([2] * 10, [2] * 10)
    window = store.window(30)
    window.show(4)
    assert window.total == 8
    assert window.locate(8) is None
    assert max(store.drawn) == 3
