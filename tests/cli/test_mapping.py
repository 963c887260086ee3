"""`--mapping`: a score log of any kind, inspected and replayed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.cli.inspect import inspect
from kernelseek_tui.replay import ReplayFeed
from sessions.errors import RefusedInput
from tests.kernelseek_tui.test_replay_feed import exhaust


def files(folder: Path) -> tuple[Path, Path]:
    log, mapping = folder / "scores.csv", folder / "map.toml"
    log.write_text("who,ms\na,4\nb,2\nc,0\n")
    mapping.write_text('score = "ms"\ndirection = "lower"\n')
    return log, mapping


def test_inspect_reads_a_log_by_its_mapping(tmp_path: Path) -> None:
    log, mapping = files(tmp_path)
    run = CliRunner().invoke(inspect, [str(log), "--mapping", str(mapping), "--json"])
    assert run.exit_code == 0
    found = json.loads(run.stdout)
    assert (found["format"], found["entries"], found["evaluations"]) == ("mapped-scores", 3, 3)


def test_a_mapping_that_is_not_there_is_refused(tmp_path: Path) -> None:
    log, _ = files(tmp_path)
    run = CliRunner().invoke(inspect, [str(log), "--mapping", str(tmp_path / "none.toml")])
    assert isinstance(run.exception, RefusedInput)
    assert run.exception.exit_code == 3


def test_replay_reads_a_log_by_its_mapping_and_says_that_it_cannot_follow_it(tmp_path: Path) -> None:
    log, mapping = files(tmp_path)
    feed = exhaust(ReplayFeed(log, mapping=mapping))
    best = feed.state.best
    assert best is not None
    assert best.event.geomean == 2.0
    with log.open("a") as file:
        file.write("d,1\n")
    assert feed.grew()
    with pytest.raises(RefusedInput, match="open it again"):
        next(feed.read_on())
