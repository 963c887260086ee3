import gzip
import io
import lzma
from pathlib import Path

import pytest

from sessions.errors import RefusedInput
from sessions.readers.opening import open_utf8
from sessions.readers.packing import is_packed, open_unpacked
from sessions.transcript import open_transcript
from tests.sessions.transcripts import reply, text, user, write

PACKERS = {"gz": gzip.compress, "xz": lzma.compress}
ENTRIES = [user(0, "go"), *(reply(n, text(f"step {n}")) for n in range(1, 40))]


@pytest.fixture(params=PACKERS)
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    plain = write(tmp_path / "run.jsonl", ENTRIES)
    # The name says nothing: what is known is known by the bytes.
    path = tmp_path / "packed"
    path.write_bytes(PACKERS[request.param](plain.read_bytes()))
    return plain, path


def test_a_compressed_transcript_is_read_as_what_is_in_it(packed: tuple[Path, Path]) -> None:
    plain, path = packed
    assert is_packed(path)
    assert not is_packed(plain)
    expected, found = open_transcript(plain), open_transcript(path)
    assert found.format is expected.format
    assert [event.kind for event in found.events] == [event.kind for event in expected.events]
    assert found.entries == len(ENTRIES)
    assert not found.problems


@pytest.mark.parametrize("part", [0.5, 0.95])
def test_a_cut_one_gives_what_stands_before_the_cut_and_says_so(
    packed: tuple[Path, Path], part: float
) -> None:
    plain, path = packed
    noise = [user(n, f"{n * 7919 % 997:x}" * 400) for n in range(400)]
    write(plain, noise)
    whole = (gzip if path.read_bytes()[:2] == b"\x1f\x8b" else lzma).compress(plain.read_bytes())
    path.write_bytes(whole[: int(len(whole) * part)])
    with open_unpacked(path) as file:
        lines = file.read().split(b"\n")
    assert b"\n".join(lines)[:-1] == plain.read_bytes()[: sum(map(len, lines)) + len(lines) - 2]
    assert lines[-1].endswith(b"\x1a")
    if len(lines) > 1:
        found = open_transcript(path)
        assert [problem.what for problem in found.problems] == ["cut off: the file ends inside this line"]


def test_damage_inside_is_a_cut(packed: tuple[Path, Path]) -> None:
    _, path = packed
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    data[len(data) // 2 + 1] ^= 0xFF
    path.write_bytes(bytes(data))
    with open_unpacked(path) as file:
        assert file.read().endswith(b"\x1a")


def test_it_can_be_read_again_from_the_start(packed: tuple[Path, Path]) -> None:
    plain, path = packed
    with open_unpacked(path) as file:
        file.read(100_000)
        file.seek(0)
        assert file.read() == plain.read_bytes()
        assert file.tell() == len(plain.read_bytes())


def test_utf16_within_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress('{"type": "x"}\n'.encode("utf-16")))
    with open_utf8(path) as file:
        assert b'{"type": "x"}' in file.read()


def test_bytes_behind_the_end_cost_nothing_before_them(packed: tuple[Path, Path]) -> None:
    plain, path = packed
    if path.read_bytes()[:2] == b"\x1f\x8b":
        path.write_bytes(path.read_bytes() + b"no archive")
        found = open_transcript(path)
        assert found.read == len(ENTRIES)
        assert found.damaged == 1
    with open_unpacked(path) as file:
        assert file.read().startswith(plain.read_bytes())


def test_zstd_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 20)
    with pytest.raises(RefusedInput, match="zstd -d"):
        open_transcript(path)


def test_an_empty_file_inside_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(RefusedInput, match="no session in it"):
        open_transcript(path)


def test_memory_is_bounded_by_what_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(64):
            file.write(b"\0" * (1 << 20))
    with open_unpacked(path) as unpacked:
        assert isinstance(unpacked, io.BufferedReader)
        assert len(unpacked.read(1000)) == 1000
