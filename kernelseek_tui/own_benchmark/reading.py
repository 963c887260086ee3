"""From what a benchmark printed to what it says: an evaluation marked `parsed`. Pure."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kernelseek_tui.own_benchmark.declared import Command, JsonMapping
from sessions import events as ev
from sessions.recognisers.compose import Composer
from sessions.recognisers.lines import output_of
from sessions.recognisers.patterns import Patterned
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.registry import recognisers
from sessions.recognisers.words import NS

NOTHING = "Nothing was read"
MOST_ROWS = 10_000
MIN_NS, MAX_NS = 0.1, 3.6e12
"""A time outside of these is no call's."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read, and sentences on what was not: nothing is left out in silence."""

    evaluation: ev.Evaluation
    notes: tuple[str, ...] = ()


class Unreadable(Exception):  # noqa: N818 - an outcome of somebody else's program, not a defect
    """Why nothing could be read, in one sentence."""


def read_output(command: Command, text: str, *, name: str, time: datetime, seconds: float, cut: bool) -> Read:
    """What stands in `text`, by the mapping of `command`. Raises `Unreadable`.

    `name` becomes its id; `cut`: the output was longer than what is given, so rows may be missing.
    """
    call = ev.ToolCall(id=f"{name}.call", call=name, tool="Bash", input={"command": command.command})
    result = ev.ToolResult(id=name, time=time, call=name, output=text)
    if command.json_ is None:
        output = output_of(text)
        text, cut = output.text, cut or output.cut
    notes = ["The output was too long: its beginning was not read, so no mean is computed."] if cut else []
    found = list(_recognised(command, text, call, notes))
    if not found:
        raise Unreadable(f"{NOTHING}: {_why(command)}")
    made = Composer().evaluation(result, call, found, not cut)
    if made is None:
        raise Unreadable(f"{NOTHING}: {_why(command)}")
    first = ". ".join(part for part in ("Not judged: your own benchmark said so", made.detail) if part)
    if made.geomean is not None and not any(one.geomean is not None for one in found):
        notes.append("The mean is not the benchmark's: it was computed from the ratios of all its rows.")
    event = made.model_copy(
        update={
            "id": name,
            "evaluation": name,
            "parent": None,
            "seconds": seconds,
            "detail": first,
            "scenario_set": made.scenario_set or "own benchmark",
        }
    )
    return Read(event, tuple(notes))


def _why(command: Command) -> str:
    if command.json_ is not None:
        return "no row had the keys that [benchmark.json] names."
    if command.pattern is not None:
        return "no line matched [benchmark.pattern]."
    return (
        "nothing in the output is known as a figure; say how it is read with [benchmark.json] or "
        "[benchmark.pattern] in .kernelseek/benchmark.toml."
    )


def _recognised(command: Command, text: str, call: ev.ToolCall, notes: list[str]) -> Iterator[Recognised]:
    if command.json_ is not None:
        yield _from_json(command.json_, text, notes)
        return
    known = recognisers() if command.pattern is None else (Patterned(command.pattern),)
    for one in known:
        said = one.look(text, call)
        if said is not None:
            yield said
            if said.whole:
                return


def _from_json(mapping: JsonMapping, text: str, notes: list[str]) -> Recognised:
    document = _document(text)
    rows: tuple[Row, ...] = ()
    if mapping.ratio or mapping.candidate:
        rows = tuple(_rows(mapping, _at(document, mapping.rows), notes))
    score = _number(_at(document, mapping.score)) if mapping.score else None
    if mapping.score and score is None:
        notes.append(f"`score`: {mapping.score} leads to no number.")
    if not rows and score is None:
        raise Unreadable(f"{NOTHING}: no row had the keys that [benchmark.json] names.")
    wrong = any(row.status == "WRONG" for row in rows)
    right = bool(rows) and all(row.status == "CORRECT" for row in rows)
    return Recognised(
        status="WRONG" if wrong else "CORRECT" if right else "",
        rows=rows,
        geomean=score,
        label=mapping.score if score is not None else "",
        over=mapping.over,
    )


def _document(text: str) -> Any:
    """The whole of stdout, else its last line that is a JSON document."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    for line in reversed(text.splitlines()):
        if line.lstrip()[:1] in ("{", "["):
            try:
                return json.loads(line)
            except (ValueError, RecursionError):
                continue
    raise Unreadable(f"{NOTHING}: stdout is no JSON document, and neither is a line of it.")


def _at(document: Any, path: str) -> Any:
    for part in path.split(".") if path else ():
        if isinstance(document, dict):
            document = document.get(part)
        elif isinstance(document, list) and part.isdecimal() and int(part) < len(document):
            document = document[int(part)]
        else:
            return None
    return document


def _rows(mapping: JsonMapping, found: Any, notes: list[str]) -> Iterator[Row]:
    if isinstance(found, dict):
        pairs = [(str(key), value) for key, value in found.items()]
    elif isinstance(found, list):
        pairs = [("", value) for value in found]
    else:
        where = mapping.rows or "the document"
        raise Unreadable(f"{NOTHING}: {where} is neither a list nor an object.")
    scale = NS[mapping.unit]
    if len(pairs) > MOST_ROWS:
        notes.append(f"Only the first {MOST_ROWS} of {len(pairs)} rows were read.")
    seen: Counter[str] = Counter()
    skipped, unnamed, unclear, no_times = 0, 0, 0, 0
    for number, (key, value) in enumerate(pairs[:MOST_ROWS]):
        if not isinstance(value, dict):
            skipped += 1
            continue
        ratio = _number(_at(value, mapping.ratio)) if mapping.ratio else None
        ours = _number(_at(value, mapping.candidate)) if mapping.candidate else None
        base = _number(_at(value, mapping.baseline)) if mapping.baseline else None
        said_good = _at(value, mapping.correct) if mapping.correct else None
        good = _truth(said_good)
        unclear += said_good is not None and good is None
        if ours is not None and not MIN_NS <= ours * scale <= MAX_NS:
            ours, no_times = None, no_times + 1
        if base is not None and not MIN_NS <= base * scale <= MAX_NS:
            base, no_times = None, no_times + 1
        if ratio is None and ours is None and good is None:
            skipped += 1
            continue
        said = _at(value, mapping.id) if mapping.id else None
        named = isinstance(said, str | int | float)
        unnamed += bool(mapping.id) and not named
        name = " ".join((str(said) if named else key).split())[:120] or f"row {number + 1}"
        seen[name] += 1
        yield Row(
            id=name if seen[name] == 1 else f"{name} ({seen[name]})",
            ratio=ratio if ratio is not None and ratio > 0 else None,
            no_ratio=f"{ratio:g}" if ratio is not None and ratio <= 0 else "",
            over=mapping.over,
            candidate_ns=ours * scale if ours is not None else None,
            baselines={mapping.over or "baseline": base * scale} if base is not None else {},
            status="" if good is None else "CORRECT" if good else "WRONG",
        )
    told = (
        (skipped, "held no figure that [benchmark.json] names and are left out"),
        (unnamed, f"have no `id` under {mapping.id}"),
        (unclear, f"have a `correct` under {mapping.correct} that is neither true nor false"),
        (no_times, "times are no times (zero, negative or beyond an hour) and are left out"),
        (sum(count - 1 for count in seen.values()), "rows have the name of an earlier one and are numbered"),
    )
    notes += [f"{count} of {len(pairs)} rows: {words}." for count, words in told if count]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _truth(value: Any) -> bool | None:
    """A truth value, or a word for one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        word = value.strip().lower()
        if word in {"ok", "pass", "passed", "correct", "true", "yes"}:
            return True
        if word in {"fail", "failed", "wrong", "incorrect", "false", "no", "error"}:
            return False
    return None
