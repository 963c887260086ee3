"""A transcript of any length is read in little memory, and what is found does not depend on that."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bank.bank import Bank
from benchmarks.made_transcripts import SHAPES, write
from kernelseek_tui.cli.inspect import as_object, as_text
from kernelseek_tui.reading import Reading, read_session
from sessions.packed import PackedRun

SIZES = {"claude": 2_200_000, "codex": 1_900_000, "small": 150_000}


@pytest.fixture(scope="module")
def bank() -> Bank:
    return Bank.load()


@pytest.fixture(scope="module", params=SHAPES)
def both(
    request: pytest.FixtureRequest, bank: Bank, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Reading, Reading]:
    """One transcript read with its past packed, and with all of it held as it is."""
    path = tmp_path_factory.mktemp("made") / "x.jsonl"
    write(request.param, path, SIZES[request.param])
    return read_session(path, bank), read_session(path, bank, follower=lambda state, event: None)


def test_the_same_moments_are_found(both: tuple[Reading, Reading]) -> None:
    packed, plain = both
    assert any(isinstance(run, PackedRun) for run in packed.state.tools)
    assert not any(isinstance(run, PackedRun) for run in plain.state.tools)
    assert packed.moments == plain.moments
    assert as_object(packed) == as_object(plain)
    assert as_text(packed, Path("x")) == as_text(plain, Path("x"))
    assert packed.state == plain.state


def test_a_made_session_is_read_without_a_rest(both: tuple[Reading, Reading]) -> None:
    assert both[0].problems == []
    assert both[0].unknown == {}
    if both[0].state.evaluations:
        assert both[0].moments  # so that the comparison above compares something


def test_every_event_has_its_line(both: tuple[Reading, Reading]) -> None:
    lines = both[0].lines
    assert isinstance(lines, Mapping)
    assert len(lines) == both[0].state.count == len(list(lines))
    assert dict(lines) == dict(both[1].lines)
    assert lines.get("no such event") is None
    assert max(lines.values()) == both[0].entries - 1
