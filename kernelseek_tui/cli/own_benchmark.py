"""`kernelseek evaluate` where a user's own benchmark measures: what it printed, as a table that says so."""

import json
import sys
from collections.abc import Iterator

import click

from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.own_benchmark.declared import OwnBenchmark
from kernelseek_tui.own_benchmark.running import WRONG, Ran, run_benchmark
from kernelseek_tui.plain import line, plain_lines
from sessions import events as ev

NOT_JUDGED = "Not judged: these figures are your own benchmark's; they meet no goal."
SHOWN_LINES = 40
UNSAID = "it does not say what is right"
_WITHOUT_COUNTS = {"CORRECT": "it says that all is right", WRONG: "it says that something is wrong"}
QUIET_SECONDS = 10.0


def run_own(own: OwnBenchmark, *, as_json: bool) -> int:
    """Run it and print what it said; the exit code.

    0: figures were read; 20: it says that something is wrong; 40: it did not end in time; 60: nothing of it
    can be used.
    """
    ran = run_benchmark(own, _Beat())
    code = _code(ran)
    if as_json:
        said = None if ran.evaluation is None else ran.evaluation.model_dump(mode="json", exclude_none=True)
        path = None if ran.path is None else str(ran.path)
        click.echo(
            json.dumps(
                {
                    "judged": False,
                    "path": path,
                    "exit_code": code,
                    "why": ran.why,
                    "notes": ran.notes,
                    "evaluation": said,
                }
            )
        )
        return code
    for text in _lines(ran, code):
        click.echo(line(text))
    return code


class _Beat:
    """A line on stderr now and then while a benchmark runs; on a terminal it is redrawn."""

    def __init__(self) -> None:
        self._told = 0.0

    def __call__(self, seconds: float) -> None:
        live = sys.stderr.isatty()
        if live or seconds - self._told >= QUIET_SECONDS:
            self._told = seconds
            text = f"own benchmark: running for {seconds:.0f} s"
            click.echo(f"\r{text}\x1b[K" if live else text, err=True, nl=not live)


def _code(ran: Ran) -> int:
    if ran.returncode is None:
        return int(ExitCode.TIMEOUT)
    if ran.evaluation is None:
        return int(ExitCode.INFRASTRUCTURE)
    return int(ExitCode.WRONG if ran.evaluation.status == WRONG else ExitCode.OK)


def _lines(ran: Ran, code: int) -> Iterator[str]:
    made = ran.evaluation
    if made is None:
        # What it printed is all there is to go by.
        tail = plain_lines(ran.output.rstrip("\n"))[-SHOWN_LINES:]
        yield from tail if ran.output.strip() else ()
        yield f"VERDICT not judged (exit {code}): {ran.why}"
        return
    yield from _table(made)
    if made.geomean is not None:
        yield f"mean {made.geomean:.3f}x over {made.baseline or 'a baseline it does not name'}"
    for note in ran.notes:
        yield f"note: {note}"
    if made.detail:
        yield f"said: {made.detail}"
    yield NOT_JUDGED
    word = "own benchmark is wrong" if made.status == WRONG else "own benchmark"
    counts = (
        f"{made.correct} of {made.total} right" if made.total else _WITHOUT_COUNTS.get(made.status, UNSAID)
    )
    yield f"VERDICT {word} (exit {code}): {counts}; {made.seconds or 0:.1f} s"
    yield f"result {ran.path}"


def _table(made: ev.Evaluation) -> Iterator[str]:
    over = made.baseline or "baseline"
    rows = [("scenario", "status", "ratio", "interval", "verdict", over, "candidate")]
    for one in made.scenarios:
        interval = "-" if one.low is None or one.high is None else f"{one.low:.3f}..{one.high:.3f}"
        ratio = "-" if one.ratio is None else f"{one.ratio:.3f}x"
        rows.append(
            (
                one.id,
                one.status,
                ratio,
                interval,
                one.verdict or "-",
                _ms(one.baseline_ns),
                _ms(one.candidate_ns),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _ms(nanoseconds: float | None) -> str:
    return "-" if nanoseconds is None else f"{nanoseconds / 1e6:.3g} ms"
