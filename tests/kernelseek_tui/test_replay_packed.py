"""A compressed session on the screen's feed."""

import gzip
from pathlib import Path

import pytest

from kernelseek_tui.replay import ReplayFeed
from sessions import events as ev
from sessions.errors import RefusedInput

LINES = "".join(ev.dump_event(ev.Note(id=f"e{n}", text=f"note {n}")) + "\n" for n in range(40)).encode()


def ending_in_a_line_end(data: bytes) -> bytes:
    """Compressed bytes that look like whole lines: the last byte is the length's highest, which may be 10."""
    return gzip.compress(data, mtime=0)[:-1] + b"\n"


def test_it_is_read_and_never_read_on(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(LINES))
    feed = ReplayFeed(path)
    for stage in (feed.read(), feed.look()):
        for _ in stage:
            pass
    assert [event.id for event in feed.events] == [f"e{n}" for n in range(40)]
    assert not feed.grew()
    path.write_bytes(ending_in_a_line_end(LINES + LINES.replace(b'"id":"e', b'"id":"f')))
    assert feed.grew()
    feed.size = path.stat().st_size  # its last byte is a line end, as of a file that is read by lines
    with pytest.raises(RefusedInput, match="open it again"):
        list(feed.read_on())
    assert len(feed.events) == 40
