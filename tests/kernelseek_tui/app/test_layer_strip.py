"""The layer strip says where a session has worked and where it never has."""

from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.layer_strip import strip
from kernelseek_tui.app.lines import text_of, width_of
from sessions import events as ev
from sessions.state import fold
from sessions.vocabulary import Layer


def calls(*commands: str) -> list[ev.AnyEvent]:
    return [
        ev.ToolCall(id=f"c{number}", call=f"c{number}", tool="Bash", input={"command": command})
        for number, command in enumerate(commands)
    ]


def test_nothing_stands_there_before_anything_was_touched() -> None:
    assert strip(fold([]), 60, UNICODE) == []


def test_visits_are_counted_and_what_was_never_visited_is_marked() -> None:
    state = fold(calls("ncu --set full ./bench", "nsys profile ./bench", "nsys stats out.nsys-rep"))
    assert state.layers[Layer.HOST] >= 2
    rows = strip(state, 200, UNICODE)
    assert len(rows) == 1
    assert f"host {state.layers[Layer.HOST]}" in text_of(rows[0])
    assert "routing ○" in text_of(rows[0])
    assert {role for text, role in rows[0] if text.startswith("routing")} == {"warn"}
    assert "process" not in text_of(rows[0])


def test_a_benchmark_run_is_a_visit_of_the_benchmark() -> None:
    (row,) = strip(fold(calls("python bench.py", "python bench.py")), 200, UNICODE)
    assert "benchmark 2" in text_of(row)
    assert "kernel ○" in text_of(row)


def test_rows_fit_and_lose_no_layer() -> None:
    state = fold(calls("make", "ncu ./bench"))
    for width in range(20, 80):
        rows = strip(state, width, ASCII)
        assert all(width_of(row) <= width for row in rows)
        words = " ".join(map(text_of, rows)).split()
        assert [word for word in words if word.isalpha()] == [
            layer.value for layer in Layer if layer is not Layer.PROCESS
        ]
