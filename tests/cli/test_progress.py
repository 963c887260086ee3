import io

import pytest

from harness.request import Progress
from kernelseek_tui.cli import progress as module
from kernelseek_tui.cli.progress import ProgressLine
from kernelseek_tui.progress import progress_text


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


STEP = Progress(stage="time", done=3, total=12, seconds_left=13.6, scenario="mha-d64")


def test_words() -> None:
    assert progress_text(STEP) == "timing 3/12 mha-d64, about 14 s left"


def test_a_terminal_gets_one_line_that_is_removed_at_the_end() -> None:
    screen = FakeTerminal()
    with ProgressLine(screen) as line:
        line.show(STEP)
        assert screen.getvalue() == "timing 3/12 mha-d64, about 14 s left"
    assert screen.getvalue().endswith("\r\x1b[K")


def test_a_pipe_hears_nothing_of_a_short_evaluation_and_little_of_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    pipe = io.StringIO()
    with ProgressLine(pipe) as line:
        for now in range(100, 125):  # noqa: B007 - the clock the lambda reads
            line.show(STEP)
    assert pipe.getvalue().count("\n") == 2
