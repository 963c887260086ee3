"""On how many scenarios `impossible` can refuse a call that does nothing.

    python benchmarks/start_against_itself.py --runs 5 --out start-against-itself
    python benchmarks/bounds.py start-against-itself

A call that does nothing is seen to take what the witness sees too much, once what it costs to be asked is
taken away: the resolution. Where a scenario's floor is above it, doing nothing is IMPOSSIBLE; below it, no
clock tells. The resolution and the machine's ceilings are those of records in which the start was judged
against itself, so that both of its clocks were true. Prints a Markdown table.
"""

import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import click

from harness.errors import JudgeError
from harness.operators import load_operator
from harness.protocol import Protocol
from harness.record.record import Record
from harness.record.samples import Ceilings, Timing
from harness.timing.ceilings import bound_of, most
from harness.timing.statistics import less, overhead
from harness.verify.clocks import samples_of

OF_ALL = 0.95
"""The resolution is what so many of the comparisons stay under."""


@dataclass(frozen=True)
class Seen:
    """What one timing of the start against itself says of the clocks (ns): how much more than B's true clock
    the witness saw, 0 where it saw less, and what it cost to be asked."""

    more: float
    asked: float


def seen(timing: Timing) -> Seen:
    """Medians of B's calls by both clocks, as `impossible` takes them."""
    samples = samples_of(timing)
    inside = samples.median_ns("b")
    by = samples.cpu_ns if samples.has_cpu else samples.outside_ns
    taken, _ = overhead(samples.raw["a"], by["a"], across=False)
    net = statistics.median(ns for pair in less(by["b"], taken) for ns in pair)
    return Seen(max(0.0, net - inside), statistics.median(ns for pair in by["b"] for ns in pair) - inside)


def most_of(values: Iterable[float]) -> float:
    """What `OF_ALL` of them stay under."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(OF_ALL * len(ordered)))]


def floors(operator: str, scenario_set: str, ceilings: Ceilings) -> list[float]:
    """The floor of each scenario in ns, ascending; those without one are left out."""
    found = load_operator(operator)
    bounds = (bound_of(found.bound(one), ceilings).floor_ns for one in found.sets[scenario_set])
    return sorted(floor for floor in bounds if floor is not None)


def row(name: str, found: Sequence[float], resolution: float, asked: float) -> str:
    """A line of the table; `found` are floors."""
    share = Protocol().impossible_share
    above = [sum(share * floor > least for floor in found) for least in (resolution, asked)]
    middle = statistics.median(found)
    return (
        f"| {name} | {found[0] / 1e3:.3g} | {middle / 1e3:.3g} | {found[-1] / 1e3:.3g} | "
        f"{above[0]} of {len(found)} | {above[1]} of {len(found)} |"
    )


def against_itself(records: Iterable[Record]) -> list[Record]:
    """Those in which the start was judged against itself, by the same launcher, with ceilings."""
    return [
        one
        for one in records
        if one.hashes.candidate == one.hashes.start == one.hashes.baseline and one.ceilings is not None
    ]


def table(records: Sequence[Record], operators: Sequence[str], scenario_set: str) -> list[str]:
    """The lines; `records` are of `against_itself`."""
    clocks = [seen(one.timing) for record in records for one in record.scenarios if one.timing is not None]
    if not clocks:
        raise JudgeError(
            "No record there has the start timed against itself; run benchmarks/start_against_itself.py."
        )
    resolution, asked = most_of(one.more for one in clocks), most_of(one.asked for one in clocks)
    ceilings = reduce(most, [one.ceilings for one in records if one.ceilings is not None])
    return [
        f"{len(clocks)} comparisons: in {OF_ALL:.0%} the witness saw at most {resolution / 1e3:.0f} µs more "
        f"than a true clock; with what it costs to be asked, {asked / 1e3:.0f} µs.",
        "",
        "| operator | least floor µs | median | most | can bind | across launchers |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(row(name, floors(name, scenario_set, ceilings), resolution, asked) for name in operators),
    ]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--set", "scenario_set", default="full", show_default=True)
@click.option("--operator", "operators", multiple=True, default=("attention", "rms_norm"), show_default=True)
def main(folder: Path, scenario_set: str, operators: tuple[str, ...]) -> None:
    """FOLDER holds records of the start against itself, made on this machine."""
    records = [Record.model_validate_json(path.read_bytes()) for path in sorted(folder.glob("*.json"))]
    for line in table(against_itself(records), operators, scenario_set):
        click.echo(line)


if __name__ == "__main__":
    try:
        main()
    except JudgeError as fault:
        click.echo(str(fault), err=True)
        sys.exit(fault.exit_code)
