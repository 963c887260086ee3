"""What recognisers said of one output, put together as an evaluation.

Only here is anything computed: a ratio of two printed times, a geometric mean of rows that are all there.
"""

import math
import re

from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text, place
from sessions.recognisers.labelled import WHOLE
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.words import PREFERRED, SUMMARY, close, geometric_mean
from sessions.vocabulary import Activity

_LONGEST = 2_000  # characters of a command that a set is named after
_NOT_KEPT = "a command"
_PEAK = "peak_fraction"
_CONTRADICTS = 0.05  # a printed speed-up this far from its times is another number, not a rounded one
_ANY_BASELINE = ("baseline", "base", "reference", "ref", "original", "orig")
_GOOD = ("CORRECT", "PARSED")
_SCRIPT = re.compile(r"(?:\A|\s)(?:-m\s+(?P<module>[\w.]+)|(?:\S*/)?(?P<file>[\w.-]+\.(?:py|sh)))\b")
_COUNTED = re.compile(r"\d+ of \d+ passed")


class Composer:
    """Makes the evaluations of a session. It learns what a printed total means from outputs that show it."""

    def __init__(self) -> None:
        self._meaning: dict[str, str] = {}

    def evaluation(
        self, result: ev.ToolResult, call: ev.ToolCall, found: list[Recognised], all_there: bool
    ) -> ev.Evaluation | None:
        """The evaluation that `result` holds, or None where nothing was recognised.

        `all_there`: the output is not cut, so that the rows in it are all rows.
        """
        total = next((one for one in found if one.geomean is not None), None)
        rows = next((one.rows for one in found if one.rows), ())
        denials = [""] * len(rows) if found and found[0].whole else [_denial(row) for row in rows]
        if total is not None and all(row.id == WHOLE for row in rows):
            rows, denials = (), [one for one in denials if one]
        ratios, over, agrees = _ratios(rows, total)
        if rows:
            ratios = [None if denied else ratio for ratio, denied in zip(ratios, denials, strict=True)]
        status = _status(found, rows)
        if not (rows or total or status):
            return None
        status = status or "PARSED"
        part, whole = _counts(found, rows, all_there)
        mean = total.geomean if total is not None else None
        if mean is None and all_there and len(rows) >= whole and not any(one.ragged for one in found):
            mean = _mean(rows, ratios)
        # Also a printed mean: it was computed of figures that contradict each other.
        counts = status in _GOOD and mean is not None and not any(denials)
        good, first, name = status in _GOOD, found[0], f"{result.id}.e"
        return ev.Evaluation(
            id=name,
            time=result.time,
            source=result.source,
            parent=result.id,
            agent=result.agent,
            evaluation=name,
            source_kind="parsed",
            scenario_set=first.scenario_set or _set_name(call, rows, total is not None),
            baseline=over if total is None else self._over(total, over, agrees),
            status=status,
            exit_code=first.exit_code,
            geomean=mean if counts else None,
            low=total.low if counts and total else None,
            high=total.high if counts and total else None,
            noise_floor=first.noise_floor,
            scenarios=tuple(
                _scenario(row, ratio, over, status, denied)
                for row, ratio, denied in zip(rows, ratios, denials, strict=True)
            ),
            correct=part,
            total=whole,
            unmet=first.unmet,
            detail=_detail(found, mean, good, denials),
            seconds=first.seconds,
            record=first.record or None,
        )

    def _over(self, total: Recognised, rows: str, agrees: bool) -> str:
        """What a printed total is relative to. One that names no baseline stays without one.

        A share of "peak" is one of what its rows show, now or before: there are harnesses whose
        `peak_fraction` is a mean of speed-ups.
        """
        if total.over or total.label != _PEAK:
            return total.over
        if agrees:
            self._meaning[total.label] = rows
        return self._meaning.get(total.label, "peak")


def _mean(rows: tuple[Row, ...], ratios: list[float | None]) -> float | None:
    """The geometric mean of rows that all have a ratio and are scenarios, not averages."""
    given = [ratio for ratio in ratios if ratio is not None]
    if len(given) < len(rows) or any(SUMMARY.search(row.id) for row in rows):
        return None
    return geometric_mean(given)


def _ratios(rows: tuple[Row, ...], total: Recognised | None) -> tuple[list[float | None], str, bool]:
    """One ratio a row, of one kind for all of them; over what; whether the printed total is their mean."""
    name = _base_name(rows)
    spoken = next((row.over for row in rows if row.over), "")
    kinds: list[tuple[list[float | None], str]] = [
        ([row.ratio for row in rows], spoken or name or "baseline"),
        ([row.fraction for row in rows], "peak"),
        ([_quotient(row, name) for row in rows], name),
    ]
    if total is not None and total.geomean is not None and rows:
        for ratios, over in kinds:
            whole = [ratio for ratio in ratios if ratio is not None]
            mean = geometric_mean(whole) if len(whole) == len(rows) else None
            if mean is not None and close(mean, total.geomean):
                return ratios, over, True
    for ratios, over in kinds:
        if any(ratio is not None for ratio in ratios):
            return [ratio if ratio is not None and ratio > 0 else None for ratio in ratios], over, False
    return [None] * len(rows), "", False


def _base_name(rows: tuple[Row, ...]) -> str:
    """The baseline that every row which has one has; of several the most usual."""
    names = [set(row.baselines) for row in rows if row.baselines]
    if not names:
        return ""
    shared = set.intersection(*names)
    return next((name for name in PREFERRED if name in shared), min(shared, default=""))


def _quotient(row: Row, name: str) -> float | None:
    base, ours = row.baselines.get(name), row.candidate_ns
    if base is None or ours is None or base <= 0 or ours <= 0:
        return None
    found = base / ours
    return found if math.isfinite(found) and found > 0 else None


def _denial(row: Row) -> str:
    """What is wrong with a row's printed speed-up: it is no ratio, or its two times say another one.

    Of several baselines it may be over any; one that was not printed contradicts nothing.
    """
    over = row.over
    bases = list(row.baselines)
    if over and over not in _ANY_BASELINE:  # `pytorch` is the `torch` of the times beside it
        bases = [name for name in bases if name.endswith(over) or over.endswith(name)]
    told = [found for name in bases if (found := _quotient(row, name)) is not None]
    if row.no_ratio:
        shown = row.no_ratio
    elif (
        row.ratio is None
        or not told
        or any(close(row.ratio, found, max(_CONTRADICTS, row.slack)) for found in told)
    ):
        return ""
    else:
        shown = f"{row.ratio:.2f}x"
    return (
        f"printed {shown}, the times give {told[0]:.2f}x" if told else f"printed {shown}, which is no ratio"
    )


def _status(found: list[Recognised], rows: tuple[Row, ...]) -> str:
    said = [one.status for one in found if one.status]
    wrong = next((status for status in said if status != "CORRECT"), "")
    if wrong:
        return wrong
    if any(row.status == "WRONG" for row in rows):
        return "WRONG"
    if said or (rows and all(row.status == "CORRECT" for row in rows)):
        return "CORRECT"
    return ""


def _counts(found: list[Recognised], rows: tuple[Row, ...], all_there: bool) -> tuple[int, int]:
    """Correct of all, as printed.

    A check's cases are not the scenarios of a benchmark beside it, and in a cut output they are not all.
    """
    cases = all_there and not rows
    counted = next((one for one in found if one.total and (cases or not one.cases)), None)
    if counted is not None:
        return counted.correct, counted.total
    if all_there and rows and all(row.status for row in rows):
        return sum(row.status == "CORRECT" for row in rows), len(rows)
    return 0, 0


def _scenario(row: Row, ratio: float | None, baseline: str, status: str, denied: str) -> ev.ScenarioResult:
    own = row.status or (status if status == "CORRECT" else "PARSED")
    good = own in _GOOD and status in _GOOD
    bound = row.bound_ns
    if bound is None and row.fraction is not None and row.candidate_ns is not None:
        bound = row.fraction * row.candidate_ns
    others = [f"{name} {time / 1e6:.4g} ms" for name, time in row.baselines.items() if name != baseline]
    return ev.ScenarioResult(
        id=row.id,
        status=own,
        ratio=ratio if good else None,
        low=row.low if good and not denied else None,
        high=row.high if good and not denied else None,
        verdict=row.verdict,
        baseline_ns=_whole_ps(row.baselines.get(baseline)),
        candidate_ns=_whole_ps(row.candidate_ns),
        bound_ns=_whole_ps(bound) or None,
        detail="; ".join(part for part in (denied, row.detail, row.rate, *others) if part),
    )


def _whole_ps(time: float | None) -> float | None:
    return None if time is None or not math.isfinite(time) else round(time, 3)


def _detail(found: list[Recognised], mean: float | None, good: bool, denials: list[str]) -> str:
    denied = [one for one in denials if one]
    words = list(dict.fromkeys(one.quote for one in found if one.quote))
    if len(words) > 1 and good:
        words = [
            word for word in words if not _COUNTED.fullmatch(word)
        ]  # the counts have fields of their own
    if (not good or denied) and mean is not None and not found[0].whole:
        words.append(f"its {mean:.3g}x does not count")
    more = [f"{len(denied) - 1} more like it"] if len(denied) > 1 else []
    return "; ".join([*denied[:1], *more, *words])[:600]


def _set_name(call: ev.ToolCall, rows: tuple[Row, ...], total: bool) -> str:
    """The script that measured, and how many scenarios it printed: what may be compared with what.

    Of several scripts in a chain the last measures, where something was measured, else the first checks. A
    printed total is one of all scenarios, however many are still in the output.
    """
    command = command_text(call.tool, call.input) or ""
    scripts: list[str] = []
    for one in split(command[:_LONGEST]):
        if place("Bash", {"command": one.text})[0] is Activity.BENCHMARK_RUN:
            named = _SCRIPT.search(one.text)
            scripts.append((named["module"] or named["file"]) if named else one.program)
    name = (scripts[-1 if rows or total else 0] if scripts else _NOT_KEPT)[:80]
    return f"{name}, {len(rows)} rows" if rows and not total else name
