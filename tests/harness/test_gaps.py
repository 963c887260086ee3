"""The file of what holds scenarios back: it only grows, and what is no entry is passed over."""

from pathlib import Path

import pytest

from harness.errors import RefusedRequest
from harness.gaps import GapError, add_gap, matching, newest_gaps, read_gaps
from tests.made_records import CANDIDATE, made_manifest

IDS = made_manifest().ids("demo")


def test_what_is_added_is_read_and_the_last_word_counts(tmp_path: Path) -> None:
    path = tmp_path / "gaps.jsonl"
    first = add_gap(path, IDS[:2], "host", "33 of 41 us with an empty kernel", CANDIDATE)
    second = add_gap(path, IDS[1:3], "kernel", "12 % of the bound", CANDIDATE)
    assert read_gaps(path, IDS) == [first, second]
    newest = newest_gaps(read_gaps(path, IDS))
    assert {one: entry.gap for one, entry in newest.items()} == {
        IDS[0]: "host",
        IDS[1]: "kernel",
        IDS[2]: "kernel",
    }
    assert first.time <= second.time
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_entry_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "gaps.jsonl"
    good = add_gap(path, IDS[:1], "routing", "2 splits", CANDIDATE)
    whole = path.read_bytes()
    strange = whole.replace(IDS[0].encode(), b"other")
    path.write_bytes(b"{\n[]\n\xff\n" + b"[" * 100_000 + b"\n" + strange + whole + whole[:-5])
    assert read_gaps(path, IDS) == [good]
    assert read_gaps(tmp_path / "none", IDS) == []
    assert read_gaps(tmp_path, IDS) == []


def test_a_glob_names_ids_in_the_manifests_order_or_is_refused() -> None:
    assert matching(made_manifest(), "demo", "toy-n?") == IDS[:1]
    assert matching(made_manifest(), "demo", "*") == IDS
    with pytest.raises(
        RefusedRequest, match=r"'x\*' matches none of the 4 scenarios of 'demo'; the first are toy-n8"
    ):
        matching(made_manifest(), "demo", "x*")


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(GapError, match="could not be written") as caught:
        add_gap(tmp_path / "none" / "gaps.jsonl", IDS, "host", "1 us", CANDIDATE)
    assert caught.value.exit_code == 4
