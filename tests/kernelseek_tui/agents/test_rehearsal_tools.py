import asyncio
import hashlib
import os

import pytest

from kernelseek_tui.agents.lines.tools import MAX_OUTPUT, Tools


@pytest.fixture
def tools(tmp_path):
    return Tools(tmp_path, "c.cpp", {"PATH": os.environ["PATH"], "COLOUR": "blue"})


async def edit(tools, path, old, new):
    return await tools.run("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


async def test_an_edit_replaces_the_one_place_and_says_what_changed(tools, tmp_path):
    path = tmp_path / "c.cpp"
    path.write_text("one\ntwo\n")
    done = await edit(tools, path, "two", "three")
    assert path.read_text() == "one\nthree\n"
    assert done.change.candidate
    assert done.change.path == "c.cpp"
    assert "-two\n+three" in done.change.diff
    assert done.change.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("four", "x", "not found"), ("o", "x", "2 matches"), ("one", "one", "the same")],
)
async def test_an_edit_that_is_not_exact_and_unique_is_refused(tools, tmp_path, old, new, words):
    path = tmp_path / "c.cpp"
    path.write_text("one\ntwo\n")
    done = await edit(tools, path, old, new)
    assert done.is_error
    assert words in done.output
    assert done.change is None
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize("given", ["../other.txt", "/etc/hostname", "link/other.txt"])
async def test_nothing_outside_the_workspace_is_touched(tools, tmp_path, given):
    (tmp_path / "link").symlink_to(tmp_path.parent)
    for tool, more in (
        ("Read", {}),
        ("Write", {"content": "x"}),
        ("Edit", {"old_string": "a", "new_string": "b"}),
    ):
        done = await tools.run(tool, {"file_path": given, **more})
        assert done.is_error
        assert "outside the workspace" in done.output
    assert not (tmp_path.parent / "other.txt").exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("Read", {"file_path": "absent"}, "No such file"),
        ("Read", {}, "needs the input 'file_path'"),
        ("Read", {"file_path": "."}, "directory"),
        ("Teleport", {}, "no tool named Teleport"),
        ("Bash", {"command": "true", "timeout": "soon"}, "cannot do that"),
        ("Edit", {"file_path": "binary", "old_string": "a", "new_string": "b"}, "cannot do that"),
    ],
)
async def test_what_goes_wrong_is_an_error_result(tools, tmp_path, tool, arguments, words):
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    done = await tools.run(tool, arguments)
    assert done.is_error
    assert words in done.output


async def test_a_command_runs_in_the_workspace_with_its_environment_and_reports_its_exit_code(
    tools, tmp_path
):
    done = await tools.run("Bash", {"command": "pwd; echo $COLOUR; echo oops >&2; exit 3"})
    assert done.output == f"Exit code 3\n{tmp_path.resolve()}\nblue\noops"
    assert done.is_error
    assert not (await tools.run("Bash", {"command": "echo fine"})).is_error


async def test_a_long_output_keeps_its_head_and_tail(tools):
    done = await tools.run("Bash", {"command": "echo first; seq 1 20000; echo last"})
    assert len(done.output) < MAX_OUTPUT + 100
    assert done.output.startswith("first")
    assert done.output.endswith("last")
    assert "characters left out" in done.output


async def test_a_command_past_its_time_is_stopped_and_says_so(tools):
    done = await tools.run("Bash", {"command": "echo begun; sleep 60", "timeout": 300})
    assert done.is_error
    assert not done.interrupted
    assert done.output == "begun\nThe command ran past 0.3 s and was stopped."


async def test_stop_ends_the_command_and_what_it_started(tmp_path):
    groups: list[tuple[int, bool]] = []
    tools = Tools(tmp_path, "c.cpp", os.environ, lambda group, running: groups.append((group, running)))
    running = asyncio.create_task(tools.run("Bash", {"command": "sleep 60 & echo $! > child; wait"}))
    while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():
        await asyncio.sleep(0.01)
    tools.stop()
    done = await running
    assert done.interrupted
    assert [running for _, running in groups] == [True, False]
    child = int((tmp_path / "child").read_text())
    state = os.popen(f"ps -o stat= -p {child}").read().strip()
    assert state in ("", "Z", "ZN")
