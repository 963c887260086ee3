import hashlib
import os
from pathlib import Path

import pytest

from harness.candidate import MAX_BYTES, freeze, read_candidate
from harness.errors import RefusedCandidate


def test_a_frozen_copy_is_named_by_its_hash_and_cannot_follow_an_edit(tmp_path: Path) -> None:
    path = tmp_path / "candidate.cpp"
    path.write_text("int x; // é\n")
    frozen = freeze(path, tmp_path / "frozen")
    assert frozen.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text("int y;\n")
    assert frozen.path.read_text() == "int x; // é\n"
    assert frozen.path.name == f"{frozen.sha256}.cpp"
    assert frozen.path.stat().st_mode & 0o222 == 0
    assert freeze(path, tmp_path / "frozen").path != frozen.path
    assert len(list((tmp_path / "frozen").iterdir())) == 2


def test_a_frozen_copy_that_was_changed_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "candidate.cpp"
    path.write_text("int x;\n")
    frozen = freeze(path, tmp_path / "frozen").path
    frozen.chmod(0o644)
    frozen.write_text("int forged;\n")
    assert freeze(path, tmp_path / "frozen").path.read_text() == "int x;\n"


def refused(path: Path) -> str:
    with pytest.raises(RefusedCandidate) as error:
        read_candidate(path)
    assert error.value.exit_code == 3
    assert str(path) in str(error.value)
    return str(error.value)


def test_what_is_not_one_plain_text_file_is_refused(tmp_path: Path) -> None:
    good = tmp_path / "good.cpp"
    good.write_text("int x;\n")
    link, pipe, empty, binary = (tmp_path / name for name in ("link.cpp", "pipe", "empty.cpp", "binary.cpp"))
    link.symlink_to(good)
    os.mkfifo(pipe)
    empty.write_text(" \n\t\n")
    assert "is a link" in refused(link)
    assert "not a file" in refused(pipe)
    assert "not a file" in refused(tmp_path)
    assert "is empty" in refused(empty)
    assert "no candidate" in refused(tmp_path / "absent.cpp")
    binary.write_bytes(b"int x;\n\xff\xfe")
    assert "not UTF-8 text (byte 7)" in refused(binary)
    binary.write_bytes(b"int x;\0")
    assert "NUL" in refused(binary)


def test_one_megabyte_is_the_most(tmp_path: Path) -> None:
    path = tmp_path / "big.cpp"
    path.write_bytes(b"/" * MAX_BYTES)
    assert len(read_candidate(path)) == MAX_BYTES
    path.write_bytes(b"/" * (MAX_BYTES + 1))
    assert "over 1 MB" in refused(path)
