"""The judge as a process of its own, and what is left when it is stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.harness.toy import START, candidate

REQUEST = {"operator": "attention", "scenarios": "mha-*", "check_only": True}


def start(folder: Path, **request: Any) -> subprocess.Popen[str]:
    asked = {**REQUEST, "cache": str(folder / "cache"), **request}
    (folder / "request.json").write_text(json.dumps(asked, default=str))
    command = [sys.executable, "-m", "harness.judge", "--request", "request.json", "--record", "record.json"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_build_failure_is_a_record_and_code_30(tmp_path: Path) -> None:
    path = tmp_path / "candidate.cpp"
    path.write_text("nonsense;")
    judge = start(tmp_path, candidate=path)
    output, errors = judge.communicate(timeout=120)
    assert judge.returncode == 30, errors
    last = lines(output)[-1]
    assert (last["kind"], last["status"], last["exit_code"]) == ("record", "BUILD_FAILED", 30)
    assert json.loads((tmp_path / "record.json").read_text())["eval_id"] == last["eval_id"]
    assert lines(output)[0]["kind"] == "progress"
    assert errors == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"candidate": "absent.cpp"}, "no candidate at absent.cpp"),
        ({"candidate": START, "operator": "nope"}, "no operator 'nope'"),
        ({"candidate": START, "blocks": 1}, "blocks"),
        ({"candidate": START, "surprise": 1}, "surprise"),
    ],
)
def test_what_is_refused_is_one_sentence_and_code_3(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    judge = start(tmp_path, **change)
    output, errors = judge.communicate(timeout=60)
    assert judge.returncode == 3
    (said,) = lines(output)
    assert said["kind"] == "error"
    assert words in said["message"]
    assert errors == ""
    assert not (tmp_path / "record.json").exists()


def looping(folder: Path) -> Path:
    path = folder / "candidate.cpp"
    source = candidate(before="for (volatile int i = 0;; ++i) {}")
    for name in ("rows", "inner", "cols", "scale"):  # the toy's parameters are not attention's
        source = source.replace(f"p->{name}", "1")
    path.write_text(source)
    return path


def group_of(judge: subprocess.Popen[str]) -> set[int]:
    """Processes started by this one."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == judge.pid and fields[0] != "Z":
            found.add(int(status.parent.name))
    return found


def alive(pids: set[int]) -> set[int]:
    left = set()
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                left.add(pid)
        except OSError:
            continue
    return left


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see what is left")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGKILL, -9)]
)
def test_no_process_outlives_the_judge(tmp_path: Path, number: signal.Signals, code: int) -> None:
    pytest.importorskip("torch")
    judge = start(tmp_path, candidate=looping(tmp_path))
    assert judge.stdout is not None
    deadline = time.monotonic() + 60
    mine: set[int] = set()
    while len(mine) < 3 and time.monotonic() < deadline:  # worker, the start's runner, the candidate's
        time.sleep(0.05)
        mine = group_of(judge)
        assert judge.poll() is None
    assert len(mine) >= 3
    judge.send_signal(number)
    judge.communicate(timeout=30)
    assert judge.returncode == code
    until = time.monotonic() + 10
    while alive(mine) and time.monotonic() < until:
        time.sleep(0.05)
    assert alive(mine) == set()
    assert [entry.name for entry in tmp_path.iterdir() if "record" in entry.name] == []
