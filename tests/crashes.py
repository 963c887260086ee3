"""Kills the judge at random points and looks at what is left: `python -m tests.crashes --kills 200`.

An episode is one evaluation that is killed a few times, as `evaluate` without an owner or as the judge of a
session's owner, and then runs through. After every kill and every record all records on the disk are read and
verified, and the goal is asked. Which candidates: the start itself (right, and never 1.8x over itself), and
one that is wrong in one scenario.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from harness.candidate import freeze
from harness.goal_check import check_goal
from harness.outside import children_of
from harness.owner.files import Ask
from harness.owner.server import OwnerServer
from harness.record.files import read_record
from harness.record.record import Record
from harness.resume.lines import Found, decode
from harness.resume.partial import KEY_FILE
from harness.verdict import Outcome
from harness.verify import rules as verify_rules
from harness.verify.record import fault
from tests.crash_judge import GOAL, SCENARIOS, SET, Rules, command, workspace
from tests.crash_killer import Killer, Point, Run
from tests.harness.toy import START, candidate

CANDIDATES = {
    "right": (START.read_text(), Outcome.CORRECT),
    "wrong": (candidate(after="if (p->rows == 16) out[5] = 7;"), Outcome.WRONG),
}
STAGES = ("start", "build", "check", "time", "aa", "record")
MODES = ("alone", "owner")


@dataclass
class Tally:
    """The table."""

    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, kind: str, words: str) -> None:
        """Something that must not be."""
        self.counts[kind] += 1
        self.faults.append(f"{kind}: {words}")


class Episode:
    """One evaluation, killed and gone on with."""

    def __init__(self, folder: Path, mode: str, name: str, chance: random.Random, tally: Tally) -> None:
        self.mode, self.chance, self.tally = mode, chance, tally
        self.folder, self.workspace = folder, workspace(folder)
        source, self.expected = CANDIDATES[name]
        self.workspace.candidate.write_text(source)
        self.sha256 = freeze(self.workspace.candidate, self.workspace.candidates).sha256
        self.ask = Ask(candidate_sha256=self.sha256, scenario_set=SET)
        self.told: set[str] = set()
        self.owner = OwnerServer(self.workspace, "crash", judge=command("judge"))

    async def play(self, kills: int) -> int:
        """Kill up to so many times, then let it run through; how many times it was killed."""
        async with contextlib.AsyncExitStack() as stack:
            if self.mode == "owner":
                await stack.enter_async_context(self.owner)
            done = 0
            while done < kills:
                run = await self._run(self._point())
                if not run.killed:
                    break
                done += 1
                self.tally.kills[self.mode, run.killed] += 1
            else:
                await self._run(None)
        return done

    def _point(self) -> Point:
        stage = self.chance.choice(STAGES)
        nth = self.chance.randint(1, len(SCENARIOS)) if stage in ("check", "time", "aa") else 1
        span = {"start": 0.4, "build": 0.2, "check": 0.03, "record": 0.03}.get(stage, 0.08)
        return Point(stage, nth, self.chance.random() * span)

    async def _run(self, point: Point | None) -> Run:
        before, used_up = self._kept(), {record.eval_id for record in self._records()}
        if before.ending is not None and before.ending.eval_id in used_up:
            before = Found()
        run = await (self._alone(point) if self.mode == "alone" else self._owned(point))
        self._look(run, before)
        return run

    async def _alone(self, point: Point | None) -> Run:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command("alone"), str(self.folder), stdout=pipe, stderr=pipe
        )
        assert process.stdout is not None
        assert process.stderr is not None
        run, killer = Run(), Killer(point, lambda: process.pid)
        cried = asyncio.ensure_future(process.stderr.read())
        async for line in process.stdout:
            said = json.loads(line)
            if said["stage"] == "written":
                run.eval_id = said["eval_id"]
            else:
                killer.saw(run, said["stage"], said["scenario"])
        await process.wait()
        run.error = (await cried).decode()[-500:]
        await killer.over(run, process.returncode == -signal.SIGKILL)
        return run

    async def _owned(self, point: Point | None) -> Run:
        run = Run()
        killer = Killer(point, lambda: max(children_of(os.getpid()), default=0))
        self.owner.on_progress = lambda _, progress: killer.saw(run, progress.stage, progress.scenario)
        served = await self.owner.evaluate(self.ask)
        run.eval_id = served.record.eval_id if served.record is not None else ""
        run.error = served.error
        await killer.over(run, killer.hit)
        return run

    def _look(self, run: Run, before: Found) -> None:
        """Everything that must hold after a run, however it ended."""
        tally = self.tally
        tally.counts["runs"] += 1
        again = set(run.begun["check"]) & before.checked.keys() | set(run.begun["time"]) & before.timed.keys()
        if again:
            tally.fault("redone", f"{sorted(again)} ({self.mode})")
        if run.outlived:
            tally.fault("outlived", f"{len(run.outlived)} processes ({self.mode})")
        if run.eval_id:
            self.told.add(run.eval_id)
            tally.counts["records"] += 1
            tally.counts["resumed_checks"] += len(before.checked)
            tally.counts["resumed_timings"] += len(before.timed)
        elif not run.killed:
            tally.fault("lost", f"a run that was not killed made no record ({self.mode}): {run.error}")
        records = self._records()
        for record in records:
            wrong = fault(record)
            ids = [one.id for one in record.scenarios]
            if wrong or record.status is not self.expected or ids != [one.id for one in SCENARIOS]:
                tally.fault("wrong", f"{record.summary}; {wrong} ({self.mode})")
            if check_goal(GOAL, self.workspace.manifest, record, self.sha256).met:
                tally.fault("goal met", f"{record.summary} ({self.mode})")
        missing = self.told - {record.eval_id for record in records}
        if missing:
            tally.fault("lost", f"{missing} ({self.mode})")
        samples = [one.timing.raw_ns_b for record in records for one in record.scenarios if one.timing]
        if len(set(samples)) < len(samples):
            tally.fault("doubled", f"the same samples are in two records ({self.mode})")

    def _records(self) -> list[Record]:
        records = []
        for path in sorted(self.workspace.records.glob("[!.]*.json")):
            try:
                records.append(read_record(path))
            except Exception as error:  # whatever is wrong with it is what is looked for
                self.tally.fault("wrong", str(error))
        return records

    def _kept(self) -> Found:
        """What the next run may go on with."""
        folder = self.workspace.home / "partial"
        kept = self.owner._kept.get(self.ask)
        key = kept.key if self.mode == "owner" and kept is not None else b""
        if self.mode == "alone" and (folder / KEY_FILE).exists():
            key = (folder / KEY_FILE).read_bytes()
        found = Found()
        for path in folder.glob("*.jsonl"):
            one = decode(path.read_bytes(), key, path.stem, datetime.now(UTC))
            found = one if one.count or one.ending else found
        return found


async def campaign(folder: Path, kills: int, seed: int, say: Callable[[str], None]) -> Tally:
    """Episodes until there were so many kills. Everything goes under `folder`, builds too."""
    tally, chance, number, told = Tally(), random.Random(seed), 0, 0
    for name in ("cache", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # A temporary folder of its own has a lock of its own: no turn has to be waited for.
    places = {"KERNELSEEK_CACHE": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
    with mock.patch.dict(os.environ, places), mock.patch.object(verify_rules, "Protocol", Rules):
        while (done := sum(tally.kills.values())) < kills:
            name = "wrong" if number % 4 == 3 else "right"
            episode = Episode(folder / str(number), MODES[number % 2], name, chance, tally)
            await episode.play(min(chance.randint(2, 12), kills - done))
            number += 1
            for words in tally.faults[told:]:
                say(words)
            told = len(tally.faults)
            say(f"{sum(tally.kills.values())} of {kills} kills, {len(tally.faults)} faults")
    return tally


def table(tally: Tally, kills: int, seed: int) -> str:
    """The table, as `docs/crashes.md` has it."""
    counts = tally.counts
    stages = [one for one in (*STAGES, "wait") if any(one == stage for _, stage in tally.kills)]
    rows = [
        f"| {stage} | {tally.kills['alone', stage]} | {tally.kills['owner', stage]} |" for stage in stages
    ]
    lines = [
        "# Killing the judge",
        "",
        f"Made by `python -m tests.crashes --kills {kills} --seed {seed} --out docs/crashes.md`: the judge",
        "is ended with SIGKILL at random points of a small evaluation, gone on with, and killed again. After",
        "each run every record on the disk is read and verified, and the goal, which neither candidate can",
        "meet, is asked. *alone*: `kernelseek evaluate` without an owner; *owner*: a session's judge.",
        "",
        "| killed in | alone | owner |",
        "| --- | ---: | ---: |",
        *rows,
        "",
        "| what came of it | |",
        "| --- | ---: |",
        f"| kills | {sum(tally.kills.values())} |",
        f"| runs of the judge | {counts['runs']} |",
        f"| records | {counts['records']} |",
        f"| checks that a later run took over | {counts['resumed_checks']} |",
        f"| timings that a later run took over | {counts['resumed_timings']} |",
        f"| wrong records | {counts['wrong']} |",
        f"| lost records | {counts['lost']} |",
        f"| samples in two records | {counts['doubled']} |",
        f"| goals met | {counts['goal met']} |",
        f"| steps done again though they were kept | {counts['redone']} |",
        f"| judges that a process outlived | {counts['outlived']} |",
        "",
        "*record*: everything is measured, and the record is being computed, written, or just written.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign; 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.crashes", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="also write the table there")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kernelseek-crashes-") as folder:
        tally = asyncio.run(
            campaign(Path(folder), options.kills, options.seed, lambda text: print(text, file=sys.stderr))
        )
    text = table(tally, options.kills, options.seed)
    print(text, end="")
    if options.out is not None and not tally.faults:
        options.out.write_text(text)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
