"""The owner and those who ask it, in real processes, and a judge that does as the candidate says."""

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from harness.candidate import freeze
from harness.errors import JudgeError
from harness.manifest import Manifest
from harness.owner import ask as asking
from harness.owner.files import Ask, OwnerError, is_locked, live_owner
from harness.owner.server import OwnerServer, Served
from harness.record.files import read_record
from harness.records import newest_of
from harness.request import Progress
from harness.workspace import StorageError, Workspace
from tests.made_records import made_manifest, made_record, store

FAKE = """
import json, os, pathlib, sys, time
request = json.loads(pathlib.Path(sys.argv[2]).read_text())
text = pathlib.Path(request["candidate"]).read_text()
home = pathlib.Path(__file__).parent
with open(home / "started", "a") as file:
    file.write(str(os.getpid()))
print(json.dumps({"kind": "progress", "stage": "build", "done": 0, "total": 2}), flush=True)
print("not a line of ours", flush=True)
with open(home / "said", "a") as file:
    file.write(sys.stdin.readline())
if "breaks" in text and not (home / "broken").exists():
    (home / "broken").touch()
    print(json.dumps({"kind": "kept", "line": "abc"}), flush=True)
    sys.exit("Killed")
if "hang" in text:
    time.sleep(600)
if "crash" in text:
    sys.exit("Boom: the judge fell over")
if "refuse" in text:
    print(json.dumps({"kind": "error", "message": "There is no such set.", "exit_code": 3}), flush=True)
    sys.exit(3)
record = json.loads((home / "record.json").read_text())
sha256 = "e" * 64 if "forge" in text else pathlib.Path(request["candidate"]).stem
record["hashes"]["candidate"] = sha256
record["eval_id"] = "20260102T030405000-%08d" % (len(list((home / "home" / "records").iterdir())) + 1)
record.update(owner=request["owner"], rehearsed=request["rehearsed"], baseline=request["baseline"])
record.update(scenario_set=request["scenario_set"] or "demo", scenario_glob=request["scenarios"])
pathlib.Path(sys.argv[4]).write_text(json.dumps(record))
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    manifest: Manifest = made_manifest()
    made = Workspace(
        tmp_path / "work", tmp_path / "home", "toy-1", tmp_path / "work" / "candidate.cpp", manifest
    )
    for folder in (made.root, made.records, made.candidates, made.requests):
        folder.mkdir(parents=True)
    made.candidate.write_text("// fine\n")
    (tmp_path / "record.json").write_text(made_record().model_dump_json())
    (tmp_path / "judge.py").write_text(FAKE)
    (tmp_path / "started").touch()
    return made


@pytest.fixture
def judge(tmp_path: Path) -> tuple[str, ...]:
    return (sys.executable, str(tmp_path / "judge.py"))


@contextlib.asynccontextmanager
async def serving(owner: OwnerServer) -> AsyncIterator[list[Served]]:
    """Serve in the background; the list grows."""
    served: list[Served] = []

    async def loop() -> None:
        async with contextlib.aclosing(owner.serve()) as stream:
            async for one in stream:
                served.append(one)

    async with owner:
        task = asyncio.create_task(loop())
        try:
            yield served
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(ready: Callable[[], bool]) -> None:
    while not ready():
        await asyncio.sleep(0.02)


async def test_the_owner_judges_for_who_asks(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    told: list[tuple[str, Progress]] = []
    heard: list[Progress] = []
    owner = OwnerServer(
        workspace, "session-9", rehearsed=True, judge=judge, on_progress=lambda *both: told.append(both)
    )
    async with serving(owner) as served:
        made = await asyncio.to_thread(
            asking.request_evaluation, workspace, scenario_set="one", progress=heard.append, python="forged"
        )
        await until(lambda: bool(served))
    assert made.record.owner == "session-9"
    assert made.record.rehearsed
    assert made.record.scenario_set == "one"
    assert made.path.parent == workspace.records
    assert "--python was not used" in made.notes[0]
    assert heard == [Progress("build", 0, 2)]
    assert told == [(served[0].request, Progress("build", 0, 2))]
    assert served[0].path == made.path
    assert served[0].record == made.record
    assert served[0].record_sha256 == hashlib.sha256(made.path.read_bytes()).hexdigest()
    assert list(workspace.requests.iterdir()) == []
    assert not (workspace.home / "judging" / served[0].request).exists()


async def test_what_is_judged_is_what_was_asked_for(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    """Two askers; the candidate changes while the second waits in line."""
    workspace.candidate.write_text("// first\n")
    owner = OwnerServer(workspace, "session-9", judge=judge)
    async with serving(owner):
        first = asyncio.create_task(asyncio.to_thread(asking.request_evaluation, workspace))
        await until(lambda: any(workspace.requests.glob("*.json")))
        other = tmp_path / "other.cpp"
        other.write_text("// second\n")
        second = asyncio.create_task(asyncio.to_thread(asking.request_evaluation, workspace, candidate=other))
        await until(lambda: len(list(workspace.candidates.glob("*.cpp"))) == 2)
        workspace.candidate.write_text("// third\n")
        other.write_text("// fourth\n")
        hashes = [(await task).record.hashes.candidate for task in (first, second)]
    assert hashes == [hashlib.sha256(text).hexdigest() for text in (b"// first\n", b"// second\n")]


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [("refuse", "no such set", 3), ("crash", "Boom", 60), ("forge", "something else", 60)],
)
async def test_a_judge_that_makes_no_record_is_one_sentence(
    workspace: Workspace, judge: tuple[str, ...], text: str, words: str, code: int
) -> None:
    workspace.candidate.write_text(text)
    async with serving(OwnerServer(workspace, "session-9", judge=judge)) as served:
        with pytest.raises(OwnerError, match=words) as caught:
            await asyncio.to_thread(asking.request_evaluation, workspace)
        await until(lambda: bool(served))
    assert caught.value.exit_code == code
    assert served[0].record is None
    assert list(workspace.records.iterdir()) == []


async def test_an_owner_goes_on_with_what_its_judge_left_and_with_nothing_else(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    workspace.candidate.write_text("// breaks\n")
    sha256 = freeze(workspace.candidate, workspace.candidates).sha256
    ask = Ask(candidate_sha256=sha256)
    other = Ask(candidate_sha256=sha256, scenario_set="one")
    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        assert (await owner.evaluate(ask)).record is None
        for asked in (other, ask, ask, ask.model_copy(update={"fresh": True})):
            assert (await owner.evaluate(asked)).record is not None
    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        assert (await owner.evaluate(ask)).record is not None
    said = [json.loads(line) for line in (tmp_path / "said").read_text().splitlines()]
    assert [one["expected"] for one in said] == ["", "", "abc", "", "", ""]
    assert said[0]["key"] == said[2]["key"]
    assert len({one["key"] for one in said}) == 5
    assert all(len(bytes.fromhex(one["key"])) == 32 for one in said)


async def test_fresh_makes_what_was_left_worthless(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    workspace.candidate.write_text("// breaks\n")
    ask = Ask(candidate_sha256=freeze(workspace.candidate, workspace.candidates).sha256)
    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        assert (await owner.evaluate(ask)).record is None
        assert (await owner.evaluate(ask.model_copy(update={"fresh": True}))).record is not None
    said = [json.loads(line) for line in (tmp_path / "said").read_text().splitlines()]
    assert said[1]["expected"] == ""
    assert said[0]["key"] != said[1]["key"]


async def test_a_frozen_candidate_that_was_changed_is_not_judged(
    workspace: Workspace, judge: tuple[str, ...]
) -> None:
    frozen = freeze(workspace.candidate, workspace.candidates)
    frozen.path.chmod(0o644)
    frozen.path.write_text("// faster\n")
    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        served = await owner.evaluate(Ask(candidate_sha256=frozen.sha256))
    assert "was changed" in served.error
    assert served.exit_code == 3


async def test_a_request_that_is_none_is_answered_and_costs_nothing(
    workspace: Workspace, judge: tuple[str, ...]
) -> None:
    async with serving(OwnerServer(workspace, "session-9", judge=judge)) as served:
        (workspace.requests / "bad.json").write_text('{"candidate_sha256": "../../etc"}')
        await until(lambda: bool(served))
        made = await asyncio.to_thread(asking.request_evaluation, workspace)
    assert served[0].exit_code == 3
    assert made.record.owner == "session-9"


def asker(workspace: Workspace) -> subprocess.Popen[str]:
    """Somebody who asks, in a process of its own."""
    code = (
        "import sys, pathlib\n"
        "from harness.owner import ask\n"
        "from harness.workspace import Workspace\n"
        "from tests.made_records import made_manifest\n"
        "work, home = map(pathlib.Path, sys.argv[1:])\n"
        "workspace = Workspace(work, home, 'toy-1', work / 'candidate.cpp', made_manifest())\n"
        "try:\n"
        "    ask.request_evaluation(workspace)\n"
        "except ask.files.OwnerError as error:\n"
        "    print(error, flush=True)\n"
        "    sys.exit(error.exit_code)\n"
    )
    command = [sys.executable, "-c", code, str(workspace.root), str(workspace.home)]
    root = Path(__file__).parents[3]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_an_asker_that_goes_away_stops_its_judge(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path, number: int
) -> None:
    workspace.candidate.write_text("// hang\n")
    async with serving(OwnerServer(workspace, "session-9", judge=judge)) as served:
        process = asker(workspace)
        await until(lambda: bool((tmp_path / "started").read_text()))
        process.send_signal(number)
        await until(lambda: bool(served))
        process.communicate()
        await until(lambda: not list(workspace.requests.iterdir()))
    assert not alive(int((tmp_path / "started").read_text()))
    assert served[0].exit_code == 130
    assert "cancelled" in served[0].error


async def test_an_owner_that_dies_leaves_nobody_waiting(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    code = (
        "import os, sys, time, fcntl\n"
        "file = open(sys.argv[1], 'a+')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.owner_lock)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    owner.stdout.readline()
    process = asker(workspace)
    await until(lambda: any(workspace.requests.glob("*.json")))
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    out, _ = await asyncio.to_thread(process.communicate)
    assert process.returncode == 60
    assert "ended before the evaluation did" in out
    assert list(workspace.requests.iterdir()) == []


async def test_a_session_that_ends_answers_and_kills_its_judge(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    workspace.candidate.write_text("// hang\n")
    async with serving(OwnerServer(workspace, "session-9", judge=judge)):
        waiting = asyncio.create_task(asyncio.to_thread(asking.request_evaluation, workspace))
        await until(lambda: bool((tmp_path / "started").read_text()))
    with pytest.raises(OwnerError, match="ended before the evaluation did"):
        await waiting
    assert not alive(int((tmp_path / "started").read_text()))
    assert list(workspace.records.iterdir()) == []


async def test_what_the_owner_writes_down_is_there_before_the_asker_knows(
    workspace: Workspace, judge: tuple[str, ...]
) -> None:
    order: list[str] = []

    def ask() -> None:
        asking.request_evaluation(workspace)
        order.append("asker knows")

    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        asked = asyncio.create_task(asyncio.to_thread(ask))
        async with contextlib.aclosing(owner.serve()) as stream:
            async for served in stream:
                assert served.path is not None
                assert not list(workspace.requests.glob("*.done"))
                await asyncio.sleep(0.3)
                order.append("written down")
                break
        await asked
    assert order == ["written down", "asker knows"]


async def test_an_owner_without_room_for_an_answer_leaves_nobody_waiting(
    workspace: Workspace, judge: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harness.owner.files.write_whole", full)
    async with serving(OwnerServer(workspace, "session-9", judge=judge)):
        with pytest.raises(OwnerError, match="disk full") as caught:
            await asyncio.to_thread(asking.request_evaluation, workspace)
    assert caught.value.exit_code == 4


async def test_one_owner_a_workspace_and_the_lock_dies_with_it(
    workspace: Workspace, judge: tuple[str, ...]
) -> None:
    assert live_owner(workspace.owner_lock) is None
    async with OwnerServer(workspace, "session-9", judge=judge):
        who = live_owner(workspace.owner_lock)
        assert who is not None
        assert (who.session, who.pid) == ("session-9", os.getpid())
        with pytest.raises(StorageError, match="owned by the session session-9") as caught:
            await OwnerServer(workspace, "session-10", judge=judge).__aenter__()
        assert caught.value.exit_code == 4
    assert live_owner(workspace.owner_lock) is None
    async with OwnerServer(workspace, "session-10", judge=judge):
        assert is_locked(workspace.owner_lock)


async def test_what_dead_askers_left_is_cleaned_and_not_judged(
    workspace: Workspace, judge: tuple[str, ...], tmp_path: Path
) -> None:
    (workspace.requests / "old.json").write_text(Ask(candidate_sha256="a" * 64).model_dump_json())
    (workspace.requests / "old.progress").write_text("")
    (workspace.requests / "older.done").write_text("")
    async with OwnerServer(workspace, "session-9", judge=judge):
        assert list(workspace.requests.iterdir()) == []
    assert (tmp_path / "started").read_text() == ""


async def test_records_without_an_owner_are_judged_again_before_they_count(
    workspace: Workspace, judge: tuple[str, ...]
) -> None:
    sha256 = freeze(workspace.candidate, workspace.candidates).sha256
    alone = made_record(owner="none", hashes={"candidate": sha256})
    store(alone, workspace.records, 1)
    newer = store(alone, workspace.records, 2)
    async with OwnerServer(workspace, "session-9", judge=judge) as owner:
        assert newest_of(workspace.records, sha256, "demo", "start", owned_only=True) is None
        [(path, record)] = owner.pending()
        assert path == newer
        served = await owner.adopt(record)
        assert served.record is not None
        assert served.asker == "owner"
        assert owner.pending() == []
    found = newest_of(workspace.records, sha256, "demo", "start", owned_only=True)
    assert found is not None
    assert found[1].owner == "session-9"


def test_a_damaged_record_is_told_and_passed_over(workspace: Workspace) -> None:
    good = store(made_record(), workspace.records, 1)
    (workspace.records / "20260102T030405000-00000002.json").write_text('{"torn')
    found = newest_of(workspace.records, read_record(good).hashes.candidate, "demo", "start", owned_only=True)
    assert found is not None
    assert found[0] == good


def test_a_candidate_the_judge_will_not_read_is_refused_before_anybody_is_asked(workspace: Workspace) -> None:
    workspace.candidate.unlink()
    workspace.candidate.symlink_to("/etc/passwd")
    with pytest.raises(JudgeError) as caught:
        asking.request_evaluation(workspace)
    assert caught.value.exit_code == 3
