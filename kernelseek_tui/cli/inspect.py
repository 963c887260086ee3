"""`kernelseek inspect`: read any transcript without a screen."""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bank.sources import load_banks
from kernelseek_tui.cli.bank_option import BANKS
from kernelseek_tui.cli.contract_text import contract_lines
from kernelseek_tui.plain import one_line
from kernelseek_tui.reading import Reading, read_session
from sessions.readers.opening import open_utf8

PROGRESS_ABOVE = 20 * 1024 * 1024  # bytes
_SHOWN = 3  # suggestions a decision point in the readable summary
_PROBLEMS_SHOWN = 20
_REDRAWN, _TOLD = 0.1, 10.0  # seconds between two lines of progress: on a terminal, and elsewhere


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "--limit", default=5, show_default=True, type=click.IntRange(1, 20), help="Suggestions a moment."
)
@BANKS
@click.option(
    "--mapping", type=click.Path(path_type=Path), help="How the columns of a score log are meant (TOML)."
)
def inspect(path: Path, as_json: bool, limit: int, banks: tuple[str, ...], mapping: Path | None) -> None:
    """Read any transcript: counts, damage, and what would have been asked, where.

    \b
    kernelseek inspect ~/.claude/projects/my-project/SESSION.jsonl
    kernelseek inspect run.jsonl --json | jq '.decision_points[].kind'
    kernelseek inspect scores.csv --mapping map.toml

    Lines count from 0. Ends 3 with one sentence when the file is no transcript it reads.
    """
    bank = load_banks(banks)
    with reading_progress(path) as progress:
        reading = read_session(path, bank, limit, progress, mapping=mapping)
    click.echo(json.dumps(as_object(reading)) if as_json else as_text(reading, path))


def as_object(reading: Reading) -> dict[str, Any]:
    """The object that `--json` prints. Numbers are counts; `entry` and `line` count from 0."""
    state = reading.state
    return {
        "format": reading.format.name,
        "entries": reading.entries,
        "unknown": sum(reading.unknown.values()),
        "problems": [{"line": line, "what": what} for line, what in reading.problems],
        "turns": state.turns,
        "tool_calls": len(state.tools),
        "human_messages": len(state.human),
        "evaluations": len(state.evaluations),
        "decision_points": [
            {
                "entry": reading.entry(moment),
                "event_id": moment.decision.evidence[0].event,
                "kind": moment.decision.decision.value,
                "evidence": [evidence.model_dump() for evidence in moment.decision.evidence],
                "confidence": moment.decision.confidence,
                "suggestions": [
                    {
                        "id": suggestion.entry,
                        "group": suggestion.group,
                        "score": suggestion.score,
                        "reasons": list(suggestion.reasons),
                    }
                    for suggestion in moment.suggestions
                ],
            }
            for moment in reading.moments
        ],
    }


def as_text(reading: Reading, path: Path) -> str:
    """The readable summary, plain text."""
    return "\n".join(_lines(reading, path))


def _lines(reading: Reading, path: Path) -> Iterator[str]:
    state = reading.state
    yield f"{one_line(str(path))}: {reading.format.name}, {_count(reading.entries, 'entry', 'entries')}"
    if state.rehearsed:
        yield "REHEARSED: a scripted agent, not a model"
    yield (
        f"{_count(state.turns, 'turn')}, {_count(len(state.tools), 'tool call')}, "
        f"{_count(len(state.human), 'human message')}, {_count(len(state.evaluations), 'evaluation')}"
    )
    layers = ", ".join(f"{layer} {count}" for layer, count in state.layers.items())
    yield f"layers visited: {layers or 'none'}"
    if state.decisions or state.asked:
        yield (
            f"recorded at the time: {_count(len(state.decisions), 'decision point')}, "
            f"{_count(len(state.asked), 'question')} asked"
        )
    if reading.unknown:
        kinds = ", ".join(f"{one_line(name)} {count}" for name, count in sorted(reading.unknown.items()))
        yield f"not understood or of no use here: {kinds}"
    problems = reading.problems
    if problems:
        yield f"damaged: {_count(len(problems), 'line')}"
        for line, what in problems[:_PROBLEMS_SHOWN]:
            yield f"  line {line}: {one_line(what)}"
        if len(problems) > _PROBLEMS_SHOWN:
            yield f"  and {len(problems) - _PROBLEMS_SHOWN} more; --json lists them all"
    yield _count(len(reading.moments), "decision point")
    for moment in reading.moments:
        decision = moment.decision
        yield ""
        yield f"entry {reading.entry(moment)}  {decision.decision}  confidence {decision.confidence:.2f}"
        yield f"  {one_line(decision.reason)}"
        for evidence in decision.evidence:
            yield f"  {evidence.event}: {one_line(evidence.quote)}"
        for suggestion in moment.suggestions[:_SHOWN]:
            yield f"  ? {one_line(suggestion.question)}"
            yield f"    {suggestion.entry}, {'; '.join(one_line(reason) for reason in suggestion.reasons)}"
    yield from contract_lines(state, reading.lines)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


@contextmanager
def reading_progress(path: Path) -> Iterator[Callable[[int], None] | None]:
    """Says on stderr how many lines of a large file are read, with an estimate; nothing for a small one.

    On a terminal one line is redrawn; elsewhere a line comes now and then.
    """
    try:
        large = path.is_file() and path.stat().st_size > PROGRESS_ABOVE
        total = _newlines(path) if large else 0
    except OSError:
        large = False  # the reader says what is wrong with the file
    if not large:
        yield None
        return
    live = sys.stderr.isatty()
    start = time.monotonic()
    shown = -math.inf

    def show(read: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < (_REDRAWN if live else _TOLD):
            return
        shown = now
        left = (now - start) * (total - read) / max(read, 1)
        # A document is not read by lines: how far it is cannot be told.
        line = (
            f"read {read} of {total} lines, about {left:.0f} s left"
            if read <= total
            else f"read {read} entries"
        )
        print(f"\r{line:<60}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if live:
            print(f"\r{'':<60}\r", end="", file=sys.stderr, flush=True)


def _newlines(path: Path) -> int:
    total = 0
    with open_utf8(path) as file:
        while block := file.read(1 << 20):
            total += block.count(b"\n")
    return total
