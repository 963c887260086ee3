"""What a slowly drifting machine does to the judge's intervals, by simulation.

    python benchmarks/drift.py --runs 5000 --blocks 8 --blocks 16

Two equal kernels: each block's log ratio is an error of the size `--noise`, which is `share` times the last
block's and new noise (AR(1)). Prints a Markdown table of how often an interval holds 1.0 and how often it
says FASTER at the floor, for the exact interval of independent blocks and for the judge's, which is widened
by what the blocks themselves say of a drift.
"""

import math
from collections.abc import Callable, Sequence

import click
import numpy as np

from harness.protocol import Protocol
from harness.timing.statistics import Estimate, Floats, estimate, exact, speed
from harness.verdict import Speed

SHARES = (0.0, 0.3, 0.5, 0.7)
Interval = Callable[[Sequence[float]], Estimate]


def drifting(generator: np.random.Generator, runs: int, blocks: int, share: float) -> Floats:
    """Errors of variance 1, a run a row."""
    errors = generator.standard_normal((runs, blocks))
    for at in range(1, blocks):
        errors[:, at] = share * errors[:, at - 1] + math.sqrt(1 - share**2) * errors[:, at]
    return errors


def row(rows: Floats, interval: Interval, noise: Sequence[float], floor: float) -> str:
    """Coverage, median width in units of the noise, and the share of FASTER for each size of it."""
    found = [interval(one.tolist()) for one in rows]
    held = np.mean([one.low <= 0 <= one.high for one in found])
    width = np.median([one.high - one.low for one in found])
    faster = [
        np.mean([speed(one.low * size, one.high * size, floor) is Speed.FASTER for one in found])
        for size in noise
    ]
    return f"{held:.1%} | {width:.2f} | " + " | ".join(f"{one:.1%}" for one in faster)


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=5000, show_default=True)
@click.option("--blocks", type=click.IntRange(min=1), multiple=True, default=(8, 16), show_default=True)
@click.option("--noise", type=float, multiple=True, default=(0.01, 0.02, 0.04), show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(runs: int, blocks: tuple[int, ...], noise: tuple[float, ...], seed: int) -> None:
    """Simulate drifts and tabulate what the judge would say."""
    floor = Protocol().minimum_floor
    generator = np.random.default_rng(seed)
    sizes = " | ".join(f"FASTER at {size:.0%}" for size in noise)
    click.echo(f"{runs} runs a line, floor {floor:.0%}, widths in units of the noise\n")
    click.echo(f"| blocks | of the last error | interval | holds 1.0 | width | {sizes} |")
    click.echo("| ---: | ---: | --- | ---: | ---: |" + " ---: |" * len(noise))
    intervals: dict[str, Interval] = {"exact": exact, "the judge's": estimate}
    for count in blocks:
        for share in SHARES:
            rows = drifting(generator, runs, count, share)
            for name, interval in intervals.items():
                click.echo(f"| {count} | {share:.1f} | {name} | {row(rows, interval, noise, floor)} |")


if __name__ == "__main__":
    main()
