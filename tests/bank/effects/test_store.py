"""The file of effect records: whole or as before, whatever happens to the process that writes it."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bank.effects.record import MEASURED_BY
from bank.effects.store import Block, Source, merge_into, read_store
from sessions.errors import StorageError
from tests.bank.effects.made import record

ROOT = Path(__file__).parents[3]


def block(name: str, events: int = 1, kept: bool = True, size: int = 1) -> Block:
    records = tuple(record(f"e{at}", name) for at in range(events))
    return Block(Source(f"/sessions/{name}", size, 2, "t", kept), records)


def test_what_is_written_comes_back_and_a_journal_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "bank" / "effects.jsonl"
    assert read_store(path).blocks == {}
    merge_into(path, [block("a", 2), block("b")])
    merge_into(path, [block("a", 3, size=9)])
    found = read_store(path)
    assert found.trouble == ""
    assert found.blocks == {"/sessions/a": block("a", 3, size=9), "/sessions/b": block("b")}


def test_files_that_were_only_named_go_when_they_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    merge_into(path, [block("named", kept=False), block("kept")])
    assert set(read_store(path).blocks) == {"/sessions/kept"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-20],
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"what"', b'"whut"', 1),
        lambda data: data.replace(b'"records": 2', b'"records": 1'),
        lambda data: data.replace(b'"records": 2', b'"records": -1'),
        lambda data: b"\x00" * 400,
        lambda data: b"[" * 100_000 + b"\n",
        lambda data: data + b"null\n",
        lambda data: data.replace(b'"size": 1', b'"size": "1"'),
    ],
)
def test_damage_is_told_and_replaced(tmp_path: Path, damage: "object") -> None:
    path = tmp_path / "effects.jsonl"
    merge_into(path, [block("a", 2)])
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert read_store(path).trouble == "it is damaged"
    assert read_store(path).blocks == {}
    merge_into(path, [block("b")])
    assert set(read_store(path).blocks) == {"/sessions/b"}


def test_another_version_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    merge_into(path, [block("a")])
    newer = path.read_text().replace(f'"measured_by": {MEASURED_BY}', f'"measured_by": {MEASURED_BY + 1}')
    path.write_text(newer)
    assert read_store(path).trouble == "another version of the program made it"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bank").write_text("a file")
    with pytest.raises(StorageError, match="could not be written"):
        merge_into(tmp_path / "bank" / "effects.jsonl", [block("a")])


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: merge_into(path, [block(f"s{number}")]), range(40)))
    assert len(read_store(path).blocks) == 40


WRITER = """
import sys
from pathlib import Path
from bank.effects.store import merge_into
from tests.bank.effects.test_store import block
number = 0
while True:
    number += 1
    merge_into(Path(sys.argv[1]), [block(f"s{number % 50}", 200, size=number)])
    print(number, flush=True)
"""


def test_kill_9_leaves_a_whole_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    for turn in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        for _ in range(3):
            writer.stdout.readline()
        time.sleep(0.003 * turn)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        found = read_store(path)
        assert found.trouble == ""
        assert all(len(one.records) == 200 for one in found.blocks.values())
    merge_into(path, [block("last")])
    assert sorted(item.name for item in tmp_path.iterdir()) == ["effects.jsonl", "effects.lock"]
    for line in path.read_text().splitlines():
        json.loads(line)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("changes", [1000.0]),
        ("changes", [-1e308]),
        ("calls", -1),
        ("calls", 10**40),
        ("evaluations", 1 << 60),
    ],
)
def test_figures_out_of_range_are_damage(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "effects.jsonl"
    merge_into(path, [block("a")])
    head, line = path.read_text().splitlines()
    data = json.loads(line)
    data["outcome"][name] = value
    path.write_text(f"{head}\n{json.dumps(data)}\n")
    assert read_store(path).trouble == "it is damaged"
