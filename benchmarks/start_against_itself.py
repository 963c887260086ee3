"""How honest the judge is about nothing: the start is judged as a candidate, against itself, several times.

    python benchmarks/start_against_itself.py --runs 20 --markdown docs/measured/start-against-itself.md

Prints a Markdown table, a run a line, and ends with three lines of acceptance. Exit code 0 where all three
hold, 10 where one does not. Raw records are kept under --out. With --markdown the whole is written there: how
often each verdict came out, and whether the intervals held 1.0 as often as they claim; the numbers it is made
of lie beside it as JSON, and --from makes the tables again from such a file.
"""

import json
import math
import os
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np

from harness.errors import JudgeError
from harness.judge import evaluate
from harness.operators import load_operator
from harness.record.files import write_record
from harness.record.record import Record, ScenarioRecord
from harness.request import EvaluationRequest
from harness.timing.statistics import exact
from harness.verdict import Outcome, Speed
from kernelseek_tui.cli.progress import ProgressLine

BY_CHANCE = 0.001
"""How often intervals that hold 1.0 as often as they claim may be said not to."""
MOST_CLEAR_VERDICTS = 2
VERDICTS = (Speed.SAME, Speed.AMBIGUOUS, Speed.FASTER, Speed.SLOWER)
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Timed:
    """One scenario in one run. `exact_*` is the interval for independent blocks, before it is widened."""

    id: str
    ratio: float
    low: float
    high: float
    confidence: float
    exact_low: float
    exact_high: float
    verdict: str
    lag_one: float
    retaken: int

    @classmethod
    def of(cls, scenario: ScenarioRecord, confidence: float) -> "Timed":
        timing = scenario.timing
        assert timing is not None
        alone = exact(timing.block_log_ratio, confidence)
        return cls(
            scenario.id,
            round(timing.ratio, 6),
            round(timing.low, 6),
            round(timing.high, 6),
            timing.confidence,
            round(float(np.exp(alone.low)), 6),
            round(float(np.exp(alone.high)), 6),
            timing.verdict.value,
            round(lag_one(timing.block_log_ratio), 3),
            timing.retaken[1],
        )

    @property
    def holds(self) -> bool:
        return self.low <= 1.0 <= self.high

    @property
    def held_exactly(self) -> bool:
        return self.exact_low <= 1.0 <= self.exact_high


@dataclass(frozen=True)
class Run:
    """One evaluation. `load` is the machine's over the minute before its end."""

    status: str
    geomean: float | None
    low: float | None
    high: float | None
    verdict: str
    floor: float | None
    seconds: float
    load: float
    cpu: str
    cores: int
    blocks: int
    scenarios: tuple[Timed, ...]

    @classmethod
    def of(cls, record: Record) -> "Run":
        whole = record.aggregate
        return cls(
            record.status.value,
            whole.geomean,
            whole.low,
            whole.high,
            whole.verdict.value if whole.verdict is not None else "",
            whole.floor,
            round(record.seconds, 1),
            round(os.getloadavg()[0], 2),
            record.env.cpu,
            record.env.cores,
            record.protocol.blocks,
            tuple(
                Timed.of(one, record.protocol.confidence)
                for one in record.scenarios
                if one.timing is not None
            ),
        )

    def count(self, verdict: Speed) -> int:
        return sum(one.verdict == verdict.value for one in self.scenarios)

    @property
    def holding(self) -> int:
        return sum(one.holds for one in self.scenarios)


def lag_one(blocks: Sequence[float]) -> float:
    """The lag-1 correlation of a scenario's block log ratios; of independent ones about −1/n."""
    away = np.asarray(blocks) - np.mean(blocks)
    total = float(away @ away)
    return float(away[1:] @ away[:-1]) / total if total else 0.0


def wilson(held: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share, z2 = held / of, NORMAL_95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = NORMAL_95 * ((share * (1 - share) / of + z2 / (4 * of * of)) ** 0.5) / (1 + z2 / of)
    return middle - half, middle + half


def fewest_holding(of: int, claimed: float) -> int:
    """How many of so many intervals hold 1.0 at the least, but for a chance of `BY_CHANCE`, if each does as
    claimed.

    The exact lower tail of a binomial, so of independent intervals. Two processes that differ for as long as
    they live (docs/decisions/0016-drift.md) make fewer of them hold, and that is to be seen.
    """
    tail = 0.0
    for held in range(of + 1):
        tail += math.comb(of, held) * claimed**held * (1 - claimed) ** (of - held)
        if tail > BY_CHANCE:
            return held
    return of


HEAD = (
    "| run | geomean | interval | verdict | A/A floor | hold 1.0 | FASTER | SLOWER | load | s |\n"
    "| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def row(number: int, run: Run) -> str:
    if run.geomean is None or run.low is None or run.high is None or run.floor is None:
        return f"| {number} | {run.status} | - | - | - | - | - | - | {run.load:.1f} | {run.seconds:.0f} |"
    return (
        f"| {number} | {run.geomean:.4f} | {run.low:.4f}..{run.high:.4f} | {run.verdict} | {run.floor:.2%} | "
        f"{run.holding}/{len(run.scenarios)} | {run.count(Speed.FASTER)} | {run.count(Speed.SLOWER)} | "
        f"{run.load:.1f} | {run.seconds:.0f} |"
    )


def by_scenario(runs: Sequence[Run]) -> list[str]:
    """How often each verdict came out, a scenario a line and the geometric mean last."""
    lines = [
        "| scenario | " + " | ".join(verdict.value for verdict in VERDICTS) + " | hold 1.0 | median width |",
        "| --- |" + " ---: |" * (len(VERDICTS) + 2),
    ]
    seen: dict[str, list[Timed]] = {}
    for run in runs:
        for one in run.scenarios:
            seen.setdefault(one.id, []).append(one)
    for name, timed in seen.items():
        counts = Counter(one.verdict for one in timed)
        width = statistics.median(one.high - one.low for one in timed)
        verdicts = " | ".join(str(counts[verdict.value]) for verdict in VERDICTS)
        lines.append(
            f"| {name} | {verdicts} | {sum(one.holds for one in timed)}/{len(timed)} | {width:.2%} |"
        )
    means = [run for run in runs if run.geomean is not None]
    if means:
        counts = Counter(run.verdict for run in means)
        held = sum((run.low or 0.0) <= 1.0 <= (run.high or 0.0) for run in means)
        width = statistics.median((run.high or 0.0) - (run.low or 0.0) for run in means)
        verdicts = " | ".join(str(counts[verdict.value]) for verdict in VERDICTS)
        lines.append(f"| **geometric mean** | {verdicts} | {held}/{len(means)} | {width:.2%} |")
    return lines


def coverage(runs: Sequence[Run]) -> list[str]:
    """Whether the intervals held 1.0 as often as they claim, in sentences."""
    timed = [one for run in runs for one in run.scenarios]
    if not timed:
        return ["Nothing was timed."]
    claimed = statistics.mean(one.confidence for one in timed)
    lines = []
    for words, held in (
        ("Intervals", sum(one.holds for one in timed)),
        (
            "The exact intervals of independent blocks, before they are widened,",
            sum(one.held_exactly for one in timed),
        ),
    ):
        low, high = wilson(held, len(timed))
        lines.append(
            f"{words} held 1.0 {held} times of {len(timed)}: {held / len(timed):.1%} "
            f"[{low:.1%}, {high:.1%}], claimed {claimed:.1%}."
        )
    floors = [run.floor for run in runs if run.floor is not None]
    if floors:
        lines.append(
            f"A/A floors: {min(floors):.2%} to {max(floors):.2%}, median {statistics.median(floors):.2%}."
        )
    lag = statistics.mean(one.lag_one for one in timed)
    lines.append(
        f"Lag-1 correlation of the blocks: {lag:+.3f} on average; without a drift it is about "
        f"{-1 / runs[0].blocks:+.3f}."
    )
    return lines


def acceptance(runs: Sequence[Run]) -> list[tuple[bool, str]]:
    """The three demands and whether they hold; without a run none does."""
    same = sum(run.verdict == Speed.SAME.value for run in runs)
    judged = bool(runs) and all(run.status == Outcome.CORRECT.value for run in runs)
    timed = [one for run in runs for one in run.scenarios]
    claimed = statistics.mean(one.confidence for one in timed) if timed else 1.0
    least = fewest_holding(len(timed), claimed)
    holding = sum(run.holding for run in runs)
    clear = sum(run.count(Speed.FASTER) + run.count(Speed.SLOWER) for run in runs)
    return [
        (judged and same == len(runs), f"geometric mean SAME in {same} of {len(runs)} runs (all)"),
        (
            judged and holding >= least,
            f"{holding} of {len(timed)} intervals hold 1.0 (at least {least}: intervals that do so in "
            f"{claimed:.1%} each fall below it once in {1 / BY_CHANCE:g})",
        ),
        (
            judged and clear <= MOST_CLEAR_VERDICTS,
            f"{clear} FASTER or SLOWER (at most {MOST_CLEAR_VERDICTS})",
        ),
    ]


def document(what: str, command: str, when: str, runs: Sequence[Run]) -> str:
    """The whole as a Markdown page."""
    first = runs[0]
    loads = [run.load for run in runs]
    demands = [f"- {'holds' if holds else '**fails**'}: {words}" for holds, words in acceptance(runs)]
    return "\n".join(
        [
            "# The start against itself",
            "",
            f"{what}; made by `{command}` on {when}, on {first.cpu} with {first.cores} cores, {first.blocks} "
            f"blocks a scenario. The machine's load at the end of a run was {min(loads):.1f} to "
            f"{max(loads):.1f} (the judge alone makes it about 1). Both sides are the same source, so every "
            "FASTER and SLOWER below is wrong, and an interval should hold 1.0. The numbers are in the JSON "
            "file beside this one.",
            "",
            *(f"- {line}" for line in coverage(runs)),
            "",
            *by_scenario(runs),
            "",
            HEAD,
            *(row(number, run) for number, run in enumerate(runs, 1)),
            "",
            "What was demanded:",
            "",
            *demands,
            "",
        ]
    )


def restore(said: dict[str, Any]) -> list[Run]:
    """The runs of a JSON file."""
    return [
        Run(**{**run, "scenarios": tuple(Timed(**one) for one in run["scenarios"])}) for run in said["runs"]
    ]


def write(markdown: Path, said: dict[str, Any]) -> None:
    """The page and, beside it, what it is made of."""
    markdown.parent.mkdir(parents=True, exist_ok=True)
    text = document(said["what"], said["command"], said["when"], restore(said))
    markdown.write_text(text, encoding="utf-8")
    head = ",\n".join(f"{json.dumps(key)}: {json.dumps(said[key])}" for key in ("what", "command", "when"))
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in said["runs"])
    markdown.with_suffix(".json").write_text(f'{{{head},\n"runs": [\n{lines}\n]}}\n', encoding="utf-8")


@click.command()
@click.option("--runs", "count", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--set", "set_name", default="smoke", show_default=True)
@click.option("--operator", "name", default="attention", show_default=True)
@click.option("--scenarios", metavar="GLOB", help="Only these ids of the set.")
@click.option("--python", metavar="PATH", help="An interpreter with torch, for the reference.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("start-against-itself"))
@click.option("--markdown", type=click.Path(path_type=Path, dir_okay=False), help="Write the page there.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Judge nothing; use this JSON file.",
)
def main(
    count: int,
    set_name: str,
    name: str,
    scenarios: str | None,
    python: str | None,
    out: Path,
    markdown: Path | None,
    source: Path | None,
) -> None:
    """Judge the start of an operator against itself and tabulate what the judge says."""
    if source is not None:
        said = json.loads(source.read_text(encoding="utf-8"))
    else:
        said = judged(count, set_name, name, scenarios, python, out, markdown)
        click.echo(f"\nrecords: {out}")
    runs = restore(said)
    if markdown is not None:
        write(markdown, said)
    click.echo("")
    for line in (*coverage(runs), "", *by_scenario(runs), ""):
        click.echo(line)
    demands = acceptance(runs)
    for holds, words in demands:
        click.echo(f"{'ok  ' if holds else 'FAIL'} {words}")
    sys.exit(0 if all(holds for holds, _ in demands) else 10)


def command(
    count: int, set_name: str, name: str, scenarios: str | None, python: str | None, markdown: Path | None
) -> str:
    """What to type for the same page again."""
    words = ["python", "benchmarks/start_against_itself.py", "--runs", str(count), "--set", set_name]
    words += ["--operator", name]
    for option, value in (("--scenarios", scenarios), ("--python", python), ("--markdown", markdown)):
        words += [option, str(value)] if value is not None else []
    return shlex.join(words)


def judged(
    count: int,
    set_name: str,
    name: str,
    scenarios: str | None,
    python: str | None,
    out: Path,
    markdown: Path | None,
) -> dict[str, Any]:
    """Judge so many times; each run is told as it ends."""
    start = load_operator(name).start
    what = f"`{name}`, set `{set_name}`{f', `{scenarios}`' if scenarios else ''}: {count} runs"
    click.echo(f"{what}\n\n{HEAD}")
    runs: list[Run] = []
    for number in range(1, count + 1):
        request = EvaluationRequest(
            operator=name, candidate=start, scenario_set=set_name, scenarios=scenarios, python=python
        )
        with ProgressLine(sys.stderr) as line:
            record = evaluate(request, line.show)
        write_record(record, out / f"{record.eval_id}.json")
        runs.append(Run.of(record))
        click.echo(row(number, runs[-1]))
    return {
        "what": what,
        "command": command(count, set_name, name, scenarios, python, markdown),
        "when": f"{datetime.now(UTC):%Y-%m-%d}",
        "runs": [asdict(run) for run in runs],
    }


if __name__ == "__main__":
    try:
        main()
    except JudgeError as fault:
        click.echo(str(fault), err=True)
        sys.exit(fault.exit_code)
