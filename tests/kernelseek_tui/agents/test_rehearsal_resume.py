"""A rehearsal goes on where it broke off, wherever that was."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.agents.rehearsal.place import OtherStoryError, Place, find_place
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.agents.rehearsal.story import Outcome, Story
from kernelseek_tui.cli.steer import steer
from kernelseek_tui.resume import resume_rehearsal
from sessions import events as ev
from sessions.errors import LockedSession, RefusedInput
from sessions.home import journal_path
from sessions.journal import Journal
from sessions.state import fold
from sessions.transcript import open_transcript
from tests.kernelseek_tui.agents.conftest import LOSSES
from tests.kernelseek_tui.agents.resumable import workspace_in

ROOT = Path(__file__).parents[3]
SCRIPT = load_script(DEFAULT)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(folder: Path, how: str, kill_at: str = "", session: str = "s1") -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.kernelseek_tui.agents.resumable",
            folder,
            how,
            session,
            *kill_at.split(),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if kill_at else 0), done.stderr


def journal(session: str = "s1") -> list[ev.AnyEvent]:
    read = open_transcript(journal_path(session))
    assert not read.problems
    return read.events


def texts(events: list[ev.AnyEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, ev.AgentText)]


@pytest.fixture
def whole(workspace: Path) -> list[ev.AnyEvent]:
    """A session that nothing broke off."""
    run(workspace.parent, "start")
    return journal()


def fixed(workspace: Path) -> bool:
    source = (workspace / "candidate.cpp").read_text()
    return not any(line in source for line in LOSSES.values())


@pytest.mark.slow  # a question that comes late on a busy machine makes another session than the script's own
def test_each_place_of_a_session_is_found_and_the_rest_follows_from_it(
    whole: list[ev.AnyEvent], workspace: Path
) -> None:
    assert fixed(workspace)
    root = str(workspace.resolve())
    assert sum(isinstance(event, ev.TurnEnded) for event in whole) >= 2
    for cut in range(1, len(whole) + 1):
        place = find_place(whole[:cut], SCRIPT, 0, root)
        said = [event for event in whole[:cut] if isinstance(event, ev.AgentText | ev.ToolCall)]
        assert place.replies == len({event.message for event in said})
        assert place.calls == sum(isinstance(event, ev.ToolCall) for event in said)
        rest, expected = _expected(whole[cut:])
        if isinstance(whole[cut - 1], ev.Edit):  # made: its result is known beforehand
            rest = rest[1:]
        told = _played(place, root, rest)
        # With the last result in hand it may say more before the next message comes.
        assert told[: len(expected)] == expected, f"after {whole[cut - 1].id}"

    with pytest.raises(OtherStoryError):
        find_place(whole, SCRIPT, 1, root)
    with pytest.raises(OtherStoryError):
        find_place(whole, SCRIPT, 0, "/elsewhere")


def _expected(rest: list[ev.AnyEvent]) -> tuple[list[ev.AnyEvent], list[str]]:
    """What happened until a message came or the turn ended, and what the agent said in it."""
    for index, event in enumerate(rest):
        heard = isinstance(event, ev.QuestionReceipt) and event.receipt in ("delivered", "own_turn")
        if heard or isinstance(event, ev.HumanMessage | ev.TurnEnded):
            return rest[:index], texts(rest[:index])
    return rest, texts(rest)


def _played(place: Place, root: str, rest: list[ev.AnyEvent]) -> list[str]:
    """What a player that goes on at `place` says as far as it gets with the results of `rest`."""
    if place.waiting or place.all_said:
        return []
    results = [event for event in rest if isinstance(event, ev.ToolResult)]
    story = Story(SCRIPT, 0, root)
    story.restore(place.story)
    done, said = list(place.done), []
    while True:
        reply = story.reply()
        said += reply.texts
        left = len(reply.calls) - len(done)
        if not reply.calls or left > len(results):
            return said
        done += [Outcome(result.output, result.is_error) for result in results[:left]]
        story.results(done)
        results, done = results[left:], []


@pytest.mark.parametrize(
    "kills",
    [
        ("edit:3",),
        ("question_asked:1",),
        ("question_receipt:1",),
        ("claim:2",),
        ("question_asked:2",),
        ("question_receipt:3",),
        ("tool_call:5", "agent_text:4"),
    ],
)
@pytest.mark.shows("rehearsal", "resume")
def test_killed_in_mid_session_it_goes_on_to_the_goal(workspace: Path, kills: tuple[str, ...]) -> None:
    first, *others = kills
    run(workspace.parent, "start", first)
    before = journal()
    assert not isinstance(before[-1], ev.SessionEnded)
    for kill in others:
        run(workspace.parent, "resume", kill)
    run(workspace.parent, "resume")
    events = journal()
    assert [event.id for event in events[: len(before)]] == [event.id for event in before]
    assert [event.id for event in events] == [f"e{n + 1}" for n in range(len(events))]
    assert fixed(workspace)
    assert "5.208x" in texts(events)[-1]
    assert isinstance(events[-1], ev.SessionEnded)
    # Nothing is said twice that the story says once, and the task was given once.
    assert len(texts(events)) == len(set(texts(events)))
    assert sum(isinstance(event, ev.HumanMessage) for event in events) == 1
    edits = [event.diff for event in events if isinstance(event, ev.Edit)]
    assert len(edits) == len(set(edits))
    calls = [event.call for event in events if isinstance(event, ev.ToolCall)]
    assert len(calls) == len(set(calls))


def test_one_that_waits_for_a_message_goes_on_waiting_and_is_not_over(
    whole: list[ev.AnyEvent], workspace: Path
) -> None:
    run(workspace.parent, "resume")
    events = journal()
    assert [event.kind for event in events[len(whole) :]] == ["session_started", "session_ended"]
    state = fold(events)
    assert state.ended is not None
    assert state.ended.id == events[-1].id
    assert state.as_of(len(whole) - 1).ended == whole[-1]
    assert state.as_of(len(whole)).ended is None
    assert fold(events[:-1]).ended is None


def test_an_edit_that_nobody_wrote_down_is_not_made_twice(whole: list[ev.AnyEvent], workspace: Path) -> None:
    """The owner was killed after the agent had changed the file and before its result was in the journal."""
    at = next(i for i, event in enumerate(whole) if isinstance(event, ev.ToolCall) and event.tool == "Edit")
    edit = whole[at]
    assert isinstance(edit, ev.ToolCall)
    path = journal_path("s2")
    path.parent.mkdir(parents=True)
    lines = journal_path("s1").read_text().splitlines(keepends=True)
    path.write_text("".join(lines[: at + 1]))
    start = Path(sys.modules["kernels.attention"].__file__ or "").with_name("start.cpp").read_text()
    made = start.replace(str(edit.input["old_string"]), str(edit.input["new_string"]), 1)
    (workspace / "candidate.cpp").write_text(made)
    run(workspace.parent, "resume", session="s2")
    assert fixed(workspace)
    results = [event for event in journal("s2") if isinstance(event, ev.ToolResult)]
    assert not any("String to replace" in result.output for result in results)


@pytest.fixture
def cut_off(workspace: Path) -> Path:
    run(workspace.parent, "start", "tool_result:2")
    return workspace.parent


def rewritten(change: Callable[[str], str]) -> bytes:
    path = journal_path("s1")
    data = change(path.read_text()).encode()
    path.write_bytes(data)
    return data


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"agent_name":"rehearsal"', '"agent_name":"claude"', "one of the agent claude"),
        ('"script":"attention', '"script":"softmax', "plays the script softmax"),
        ('"seed":"0"', '"seed":"1"', "does not follow the script"),
        ('"seed":"0"', '"seed":"odd"', "does not follow the script"),
    ],
)
def test_a_session_of_another_kind_is_refused_and_left_alone(
    cut_off: Path, old: str, new: str, words: str
) -> None:
    assert old in journal_path("s1").read_text()
    data = rewritten(lambda text: text.replace(old, new))
    if "seed" in old and "odd" not in new:
        data = rewritten(lambda text: text + _elsewhere(text))
    with pytest.raises(RefusedInput, match=words) as refused:
        resume_rehearsal("s1", workspace_in(cut_off), RehearsalAgent())
    assert refused.value.exit_code == 3
    assert journal_path("s1").read_bytes() == data


def _elsewhere(text: str) -> str:
    """An agent's text that the script does not hold."""
    told = ev.AgentText(id="e999", text="Something else.", message="m999")
    return ev.dump_event(told) + "\n"


def test_unknown_met_elsewhere_and_owned_sessions_are_refused(cut_off: Path, tmp_path: Path) -> None:
    agent, workspace = RehearsalAgent(), workspace_in(cut_off)
    with pytest.raises(RefusedInput, match="There is no session s9"):
        resume_rehearsal("s9", workspace, agent)
    assert not journal_path("s9").parent.exists()
    other = workspace_in(tmp_path / "other")
    with pytest.raises(RefusedInput, match="resume it there"):
        resume_rehearsal("s1", other, agent)
    with Journal.of("s1"), pytest.raises(LockedSession):
        resume_rehearsal("s1", workspace, agent)
    with Journal.of("s1") as own:
        own.append(ev.SessionEnded(id="", reason="over", exit_code=0))
    with pytest.raises(RefusedInput, match="goal met"):
        resume_rehearsal("s1", workspace, agent)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "builtin", "--resume", "s1"], "--resume is for --agent claude and --agent rehearsal"),
        (["--agent", "rehearsal", "--resume", "s1", "--fork"], "--claude and --fork are for --agent claude"),
    ],
)
def test_the_command_says_who_can_resume(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(steer, [str(tmp_path), "--headless", *arguments])
    assert done.exit_code == 2
    assert words in done.output
