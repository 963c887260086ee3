"""What a ranking is worth to a scripted agent: rehearsals asked by `bank` beside the same asked by `random`.

    python -m benchmarks.rehearsals --seeds 10 --markdown docs/measured/rehearsals.md

Plays the demo headless with the real judge, once for each seed and questioner, one run after the other (one
to two minutes each), and prints a table. A run is kept in --out (JSON lines) as soon as it is over; runs that
stand there are not made again, so an interrupted campaign goes on. The agent is scripted: it moves on where
the words of a question bear on the layer it has not looked at. What real models do is another thing.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bank.sources import load_banks
from harness.machine import cpu_model
from sessions import events as ev
from sessions.shares import wilson
from sessions.transcript import open_transcript

QUESTIONERS = ("bank", "random")


@dataclass(frozen=True)
class Run:
    """One rehearsal. `questions` and `evaluations` are those until the goal was met, else all."""

    questioner: str
    seed: int
    met: bool
    questions: int
    evaluations: int
    best: float
    bank: str


def read_journal(path: Path, questioner: str, seed: int, bank: str) -> Run:
    """The figures of one finished rehearsal."""
    questions = evaluations = 0
    best, met = 0.0, False
    for event in open_transcript(path).events:
        if isinstance(event, ev.Evaluation) and event.counts:
            evaluations += 1
            best = max(best, event.geomean or 0.0)
        elif isinstance(event, ev.QuestionAsked):
            questions += 1
        elif isinstance(event, ev.GoalVerdict) and event.met:
            met = True
            break
    return Run(questioner, seed, met, questions, evaluations, round(best, 3), bank)


def play(questioner: str, seed: int, bank: str) -> Run:
    """Play one rehearsal in a process of its own. Raises `click.ClickException` where it did not end so."""
    with tempfile.TemporaryDirectory(prefix="rehearsal") as folder:
        main = "from kernelseek_tui.cli import main; main()"
        options = ["--headless", "--questioner", questioner, "--seed", str(seed), "--pace", "0"]
        done = subprocess.run(
            [sys.executable, "-c", main, "demo", *options, "--dir", folder + "/work"],
            capture_output=True,
            text=True,
        )
        journal = next((line[9:] for line in done.stdout.splitlines() if line.startswith("journal: ")), "")
        if done.returncode not in (0, 10, 11) or not journal:
            raise click.ClickException(f"{questioner}, seed {seed}: {done.stderr.strip().splitlines()[-1:]}")
        return read_journal(Path(journal), questioner, seed, bank)


def table(runs: Sequence[Run], seeds: int) -> Iterator[str]:
    """Markdown: the questioners beside one another, then every run."""
    yield "| questioner | goal met | 95 % | questions until then (median, range) | evaluations (median) |"
    yield "| --- | --- | --- | --- | --- |"
    for name in QUESTIONERS:
        own = [run for run in runs if run.questioner == name]
        met = [run for run in own if run.met]
        low, high = wilson(len(met), len(own))
        asked = [run.questions for run in met]
        told = f"{statistics.median(asked):g} ({min(asked)} to {max(asked)})" if asked else "never"
        evaluations = f"{statistics.median(run.evaluations for run in own):g}" if own else ""
        yield f"| `{name}` | {len(met)} of {len(own)} | {low:.2f} to {high:.2f} | {told} | {evaluations} |"
    yield ""
    yield "| seed | " + " | ".join(f"`{name}`" for name in QUESTIONERS) + " |"
    yield "| ---: | " + " | ".join("---" for _ in QUESTIONERS) + " |"
    for seed in range(seeds):
        cells = (
            _cell(next((r for r in runs if (r.questioner, r.seed) == (name, seed)), None))
            for name in QUESTIONERS
        )
        yield f"| {seed} | {' | '.join(cells)} |"


def _cell(run: Run | None) -> str:
    if run is None:
        return ""
    return f"{'met' if run.met else 'unmet'} after {run.questions} questions, best {run.best:.2f}x"


def document(runs: Sequence[Run], seeds: int) -> str:
    """The page that --markdown writes."""
    banks = ", ".join(sorted({run.bank for run in runs}))
    head = [
        "# Rehearsals asked by the bank and at random",
        "",
        "Made by `python -m benchmarks.rehearsals`; the runs are beside it as JSON lines. The agent is",
        "scripted and moves on where the words of a question bear on the layer it has not looked at (even",
        "seeds: routing, odd seeds: the host path). So this compares which questions come, not what they do",
        "to a real model.",
        f"Both questioners may ask 20 questions, at the same moments. Bank {banks}; {cpu_model()},",
        f"{datetime.now(UTC):%Y-%m-%d}.",
        "",
    ]
    return "\n".join([*head, *table(runs, seeds)]) + "\n"


def kept(path: Path) -> list[Run]:
    """The runs of a file; none where there is no file."""
    if not path.exists():
        return []
    return [Run(**json.loads(row)) for row in path.read_text(encoding="utf-8").splitlines() if row]


def missing(runs: Iterable[Run], seeds: int, bank: str) -> list[tuple[str, int]]:
    """(questioner, seed) of the runs that are still to be made, in turn, with this bank."""
    done = {(run.questioner, run.seed) for run in runs if run.bank == bank}
    return [(name, seed) for seed in range(seeds) for name in QUESTIONERS if (name, seed) not in done]


@click.command()
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("docs/measured/rehearsals.jsonl"),
    show_default=True,
)
@click.option("--markdown", type=click.Path(path_type=Path), help="Write the page here as well.")
def main(seeds: int, out: Path, markdown: Path | None) -> None:
    """Play rehearsals asked by `bank` and by `random`, and compare them."""
    bank = load_banks().version
    runs = [run for run in kept(out) if run.bank == bank]
    todo = missing(runs, seeds, bank)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(asdict(run)) + "\n" for run in runs), encoding="utf-8")
    began = time.monotonic()
    for number, (name, seed) in enumerate(todo, 1):
        run = play(name, seed, bank)
        runs.append(run)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run)) + "\n")
        left = (time.monotonic() - began) / number * (len(todo) - number)
        click.echo(
            f"{number} of {len(todo)}, {name}, seed {seed}: {_cell(run)}; about {left:.0f} s left", err=True
        )
    click.echo("\n".join(table(runs, seeds)))
    if markdown is not None:
        markdown.write_text(document(runs, seeds), encoding="utf-8")


if __name__ == "__main__":
    main()
