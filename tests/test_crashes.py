"""The judge is killed a few times; `python -m tests.crashes` does it as often as one likes."""

import asyncio
import random
from pathlib import Path

import pytest

from harness.outside import LINUX
from tests.crash_killer import Killer, Point, Run
from tests.crashes import MODES, STAGES, Episode, Tally, campaign, table


@pytest.mark.judge
@pytest.mark.skipif(not LINUX, reason="needs /proc to see what is left, and a boot's name to resume")
async def test_no_record_is_wrong_or_lost_where_the_judge_is_killed(tmp_path: Path) -> None:
    tally = await campaign(tmp_path, 15, 3, lambda _: None)
    assert tally.faults == []
    assert sum(tally.kills.values()) == 15
    assert tally.counts["records"] > 0
    assert tally.counts["resumed_checks"] > 0
    text = table(tally, 15, 3)
    assert "| kills | 15 |" in text
    assert "| wrong records | 0 |" in text


@pytest.mark.parametrize("stage", STAGES)
async def test_a_point_is_one_line_of_one_stage(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    monkeypatch.setattr("tests.crash_killer.os.kill", lambda pid, _: killed.append(pid))
    run = Run()
    killer = Killer(Point(stage, 2 if stage != "start" else 1, 0.0), lambda: 2**22 + 1)
    for said, scenario in (("check", "a"), ("check", "a~b"), ("time", "a"), ("time", "c")):
        killer.saw(run, said, scenario)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    assert bool(killed) is (stage in ("start", "check", "time"))
    assert run.begun == {"check": ["a"], "time": ["a", "c"]}


def test_what_must_not_be_is_seen(tmp_path: Path) -> None:
    """The table's zeros are only worth something if the campaign can count."""
    tally = Tally()
    episode = Episode(tmp_path, MODES[0], "right", random.Random(1), tally)
    before = episode._kept()
    assert before.count == 0
    episode._look(Run(error="it fell over"), before)
    episode._look(Run(eval_id="20260102T030405000-00000009"), before)
    (episode.workspace.records / "20260102T030405000-00000001.json").write_text('{"torn')
    episode._look(Run(killed="record"), before)
    assert (tally.counts["lost"], tally.counts["wrong"]) == (3, 1)
