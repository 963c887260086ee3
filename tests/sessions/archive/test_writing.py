import errno
import fcntl
import gzip
import hashlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.archive.writing import PACKINGS, Packing, packing_of, sweep_parts, write_new
from sessions.errors import RefusedInput, StorageError

CHUNKS = [b"one\n", b"two\n"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "state")


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_same_chunks_give_the_same_file(tmp_path: Path, packing: Packing) -> None:
    first = write_new(tmp_path / "a", CHUNKS, packing)
    second = write_new(tmp_path / "b", CHUNKS, packing)
    assert first == second == hashlib.sha256((tmp_path / "a").read_bytes()).hexdigest()
    assert names(tmp_path) == ["a", "b"]


def test_the_name_says_how() -> None:
    assert [packing_of(Path(name)) for name in ("a.jsonl.gz", "a.XZ", "a.jsonl", "a")] == [
        "gz",
        "xz",
        "jsonl",
        "jsonl",
    ]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("a", "link"):
        with pytest.raises(RefusedInput, match="nothing is overwritten"):
            write_new(tmp_path / name, CHUNKS)
    assert (tmp_path / "a").read_text() == "mine"
    assert names(tmp_path) == ["a", "link"]


def test_a_file_that_comes_in_between_stays(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        (tmp_path / "a").write_text("mine")
        yield b"ours"

    with pytest.raises(RefusedInput):
        write_new(tmp_path / "a", chunks())
    assert (tmp_path / "a").read_text() == "mine"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RefusedInput("gone")])
@pytest.mark.parametrize("packing", PACKINGS)
def test_nothing_half_written_is_left(
    tmp_path: Path, packing: Packing, raised: BaseException | type[BaseException]
) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise raised

    with pytest.raises((KeyboardInterrupt, RefusedInput)):
        write_new(tmp_path / "a", chunks(), packing)
    assert names(tmp_path) == []


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        write_new(tmp_path / "a", CHUNKS)
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be written"):
        write_new(tmp_path / "no" / "a", CHUNKS)


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_new(tmp_path / "a.gz", CHUNKS, "gz")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"one\ntwo\n"
    assert names(tmp_path) == ["a.gz"]


def killed_while_writing(folder: Path, name: str) -> None:
    """Leaves what a writer leaves that is killed half through."""
    pid = os.fork()
    if pid == 0:

        def chunks() -> Iterator[bytes]:
            yield b"half"
            os.kill(os.getpid(), signal.SIGKILL)

        write_new(folder / name, chunks())
        os._exit(1)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGKILL


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    killed_while_writing(tmp_path, "a.jsonl")
    assert [name.startswith(".a.jsonl.") and name.endswith(".part") for name in names(tmp_path)] == [True]
    write_new(tmp_path / "b", CHUNKS)
    assert names(tmp_path) == ["b"]


def test_only_what_dead_writers_left_is_removed(tmp_path: Path) -> None:
    kept = {".a.part", ".download.abcdefgh.part", "a.99-abcdefgh.part", f".a.{os.getpid()}-abcdefgh.part"}
    for name in kept:
        (tmp_path / name).touch()
    killed_while_writing(tmp_path, "\u4e2d" * 60)
    (left,) = set(names(tmp_path)) - kept
    (tmp_path / left.replace("-", "-x")).symlink_to(tmp_path / "a")
    with (tmp_path / left).open("rb") as file:  # as a writer on another machine holds it
        fcntl.flock(file, fcntl.LOCK_EX)
        assert sweep_parts(tmp_path) == 0
    assert sweep_parts(tmp_path) == 1
    assert {name for name in names(tmp_path) if "-x" not in name} == kept
    assert sweep_parts(tmp_path / "nowhere") == 0


def test_a_writer_at_work_is_left_alone(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"one"
        write_new(tmp_path / "b", CHUNKS)
        yield b"two"

    write_new(tmp_path / "a", chunks())
    assert names(tmp_path) == ["a", "b"]
