"""How honest the judge is about nothing: the start is judged as a candidate, against itself, several times.

    python benchmarks/start_against_itself.py --runs 5 --set smoke --operator attention --out runs/

Prints a Markdown table, a run a line, and ends with three lines of acceptance. Exit code 0 where all three
hold, 10 where one does not. Raw records are kept under --out.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from harness.errors import JudgeError
from harness.judge import evaluate
from harness.operators import load_operator
from harness.record import Record, write_record
from harness.request import EvaluationRequest
from harness.verdict import Outcome, Speed
from kernelseek_tui.cli.progress import ProgressLine

INTERVALS_HOLDING_ONE = 0.80
MOST_CLEAR_VERDICTS = 2


@dataclass(frozen=True)
class Tally:
    """One run: how many of its scenarios' intervals hold 1.0, and how many verdicts are clear of it."""

    record: Record
    timed: int
    holding: int
    faster: int
    slower: int

    @classmethod
    def of(cls, record: Record) -> "Tally":
        timings = [scenario.timing for scenario in record.scenarios if scenario.timing is not None]
        return cls(
            record,
            len(timings),
            sum(timing.low <= 1.0 <= timing.high for timing in timings),
            sum(timing.verdict is Speed.FASTER for timing in timings),
            sum(timing.verdict is Speed.SLOWER for timing in timings),
        )


def row(number: int, tally: Tally) -> str:
    whole = tally.record.aggregate
    if whole.geomean is None or whole.low is None or whole.high is None or whole.floor is None:
        return f"| {number} | {tally.record.status} | - | - | - | - | - | - | {tally.record.seconds:.0f} |"
    return (
        f"| {number} | {whole.geomean:.4f} | {whole.low:.4f}..{whole.high:.4f} | {whole.verdict} | "
        f"{whole.floor:.2%} | {tally.holding}/{tally.timed} | {tally.faster} | {tally.slower} | "
        f"{tally.record.seconds:.0f} |"
    )


def acceptance(tallies: Sequence[Tally]) -> list[tuple[bool, str]]:
    """The three demands and whether they hold; without a run none does."""
    same = sum(tally.record.aggregate.verdict is Speed.SAME for tally in tallies)
    judged = bool(tallies) and all(tally.record.status is Outcome.CORRECT for tally in tallies)
    timed = sum(tally.timed for tally in tallies)
    holding = sum(tally.holding for tally in tallies)
    clear = sum(tally.faster + tally.slower for tally in tallies)
    share = holding / timed if timed else 0.0
    return [
        (judged and same == len(tallies), f"geometric mean SAME in {same} of {len(tallies)} runs (all)"),
        (
            judged and share >= INTERVALS_HOLDING_ONE,
            f"{holding} of {timed} intervals hold 1.0: {share:.0%} (at least {INTERVALS_HOLDING_ONE:.0%})",
        ),
        (
            judged and clear <= MOST_CLEAR_VERDICTS,
            f"{clear} FASTER or SLOWER (at most {MOST_CLEAR_VERDICTS})",
        ),
    ]


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--set", "set_name", default="smoke", show_default=True)
@click.option("--operator", "name", default="attention", show_default=True)
@click.option("--scenarios", metavar="GLOB", help="Only these ids of the set.")
@click.option("--python", metavar="PATH", help="An interpreter with torch, for the reference.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("start-against-itself"))
def main(runs: int, set_name: str, name: str, scenarios: str | None, python: str | None, out: Path) -> None:
    """Judge the start of an operator against itself and tabulate what the judge says."""
    start = load_operator(name).start
    click.echo(f"`{name}`, set `{set_name}`: the start against itself, {runs} runs\n")
    click.echo("| run | geomean | interval | verdict | A/A floor | hold 1.0 | FASTER | SLOWER | s |")
    click.echo("| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    tallies = []
    for number in range(1, runs + 1):
        request = EvaluationRequest(
            operator=name, candidate=start, scenario_set=set_name, scenarios=scenarios, python=python
        )
        with ProgressLine(sys.stderr) as line:
            record = evaluate(request, line.show)
        write_record(record, out / f"{record.eval_id}.json")
        tallies.append(Tally.of(record))
        click.echo(row(number, tallies[-1]))
    demands = acceptance(tallies)
    click.echo("")
    for holds, words in demands:
        click.echo(f"{'ok  ' if holds else 'FAIL'} {words}")
    click.echo(f"\nrecords: {out}")
    sys.exit(0 if all(holds for holds, _ in demands) else 10)


if __name__ == "__main__":
    try:
        main()
    except JudgeError as fault:
        click.echo(str(fault), err=True)
        sys.exit(fault.exit_code)
