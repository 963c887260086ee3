"""Hooks stand in a project's settings and so run for sessions nobody attached to: those they leave alone."""

import io
from pathlib import Path

import pytest

from kernelseek_tui.hooks import rewake, run
from kernelseek_tui.hooks.answers import EVENTS
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, Question, locked
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input

MINE, OTHER = "mine", "other"


def everything(folder: Path) -> list[tuple[str, bytes]]:
    return [(str(path), path.read_bytes() if path.is_file() else b"") for path in sorted(folder.rglob("*"))]


@pytest.fixture
def box(made: MadeWorkspace) -> Mailbox:
    made.judged(slow=(0,))
    box = Mailbox(made.home, MINE)
    box.bind(Binding("k", str(made.root)))
    box.put(Question("q1", "Why?"))
    box.mark("idle", True)
    return box


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("attached", [MINE, None])
@pytest.mark.parametrize("active", [False, True])
def test_another_session_is_left_alone_and_nothing_is_written(
    made: MadeWorkspace, box: Mailbox, name: str, attached: str | None, active: bool
) -> None:
    """Also what the same terminal goes on with after `/clear`: a new id from the same process."""
    given = stop_input(made.root, session=OTHER, active=active, source="clear", reason="clear", prompt="go")
    with locked(box.lock):
        before = everything(made.home)
        assert run.answer(name, io.BytesIO(given), made.home, attached) == {}
        assert everything(made.home) == before


@pytest.mark.parametrize("name", EVENTS)
def test_damaged_input_of_another_session_is_none_of_ours(
    made: MadeWorkspace, box: Mailbox, name: str
) -> None:
    given = stop_input(made.root, session=OTHER)[:-1]
    before = everything(made.home)
    assert run.answer(name, io.BytesIO(given), made.home, MINE) == {}
    assert everything(made.home) == before


@pytest.mark.parametrize("name", EVENTS)
def test_another_session_is_left_alone_whatever_is_broken_here(tmp_path: Path, name: str) -> None:
    home = tmp_path / "file"
    home.write_text("")
    given = stop_input(tmp_path, session=OTHER, active=False)
    assert run.answer(name, io.BytesIO(given), home, MINE) == {}
    assert run.answer(name, io.BytesIO(given), home) == {}


def test_a_question_does_not_wake_what_comes_after_clear(made: MadeWorkspace, box: Mailbox) -> None:
    with locked(box.lock):
        given = stop_input(made.root, session=OTHER)
        assert rewake.wait(io.BytesIO(given), made.home, MINE) == ""
    assert box.waits()


def test_the_session_that_was_cleared_is_not_woken_any_more(made: MadeWorkspace, box: Mailbox) -> None:
    with locked(box.lock):
        ended = stop_input(made.root, session=MINE, reason="clear")
        assert run.answer("session-end", io.BytesIO(ended), made.home, MINE) == {}
    assert not box.marked("idle")
