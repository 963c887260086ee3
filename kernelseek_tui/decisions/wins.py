"""Records: the best correct figure so far, a wrong one that beats it, and a step out of all proportion."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from kernelseek_tui.decisions.checks import large_error
from sessions import events as ev

_RATE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?([kMGTP])(B/s|B/sec|FLOPS|FLOP/s|FLOPs)\b", re.IGNORECASE)
_SPEEDUP = re.compile(
    r"\bspeed-?up\b[ \t:=]{1,4}(\d+(?:\.\d+)?)|(?<![\w.])(\d+(?:\.\d+)?)[x×] (?:faster|speed-?up)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:FAIL(?:ED)?|MISMATCH|WRONG|INCORRECT)\b|\b(?:correct|match|pass(?:ed)?|"
    r"ok)\w*[ \t]*[:=][ \t]*(?:False|no\b)"
)
_CHECKED = re.compile(
    r"\berr\w*\b|\bdiff\w*\b|\b(?:OK|PASS\w*|correct|match\w*)\b|_err\b|_diff\b|relerr|maxerr", re.IGNORECASE
)
_POWERS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
RIGHT = frozenset({"CORRECT", "PASSED", "PASS", "OK"})
UNCHECKED = frozenset({"PARSED", "NOT_RUN", "UNKNOWN", ""})
NOT_JUDGED = frozenset({"INFRASTRUCTURE", "INVALID_REFERENCE", "NOT_ADMITTED", "UNSUPPORTED"})
"""What our judge says of a scenario, or of all, where it could not tell or the candidate declined."""
FACTOR, DEVIATIONS, STEPS = 1.3, 3.0, 4
"""A jump: this factor at least and this many robust deviations above past gains, once so many are known."""
HUGE = 10.0  # one step, or a first figure, beyond this is asked about by public harnesses too (KernelBench)


@dataclass(slots=True)
class Wins:
    """Keeps records a unit (printed rates) and a scenario set (evaluations)."""

    _rates: dict[str, float] = field(default_factory=dict)
    _best: dict[tuple[str, str], float] = field(default_factory=dict)
    _gains: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def printed(self, output: str) -> str | None:
        """A line whose figure beats every one so far that was checked and right, and that is itself wrong."""
        if not (_RATE.search(output) or _SPEEDUP.search(output)):
            return None
        found: tuple[float, str] | None = None
        for line in output.split("\n"):
            wrong = _WRONG.search(line) is not None or large_error(line) is not None
            if not wrong and not _CHECKED.search(line):
                continue  # nothing is said about right or wrong: a copy, a baseline, a plain timing
            for unit, value in _figures(line):
                if not wrong:
                    self._rates[unit] = max(value, self._rates.get(unit, 0.0))
                elif value > self._rates.get(unit, 0.0) and (found is None or value > found[0]):
                    found = (value, " ".join(line.split())[:200])
        return found[1] if found else None

    def evaluated(self, event: ev.Evaluation) -> tuple[str | None, str | None]:
        """(wrong and faster, a jump): a quote each, where the newest evaluation shows it."""
        key = (event.scenario_set, event.baseline)
        value = _value(event)
        if value is None or value <= 0:
            return None, None
        best = self._best.get(key)
        right = _right(event)
        if right is None:
            return None, None
        if not right:
            beats = value > max(1.0, best or 0.0)
            return (
                f"{value:.3g}x, {event.status}{f': {event.detail}' if event.detail else ''}"[:280]
                if beats
                else None
            ), None
        jump = self._jump(key, value, best)
        if best is not None and value > best:
            self._gains.setdefault(key, []).append(math.log(value / best))
        self._best[key] = max(value, best or 0.0)
        return None, jump

    def _jump(self, key: tuple[str, str], value: float, best: float | None) -> str | None:
        if best is None:
            # The same figure may come under another name: what was reached by then under any is no news.
            known = max(self._best.values(), default=1.0)
            return f"{value:.4g}x, the first figure" if value >= HUGE * max(known, 1.0) else None
        if value >= max(best, 1.0) * HUGE:
            return f"{value:.4g}x after {best:.4g}x"
        gains = self._gains.get(key, [])
        if len(gains) < STEPS or value < best * FACTOR:
            return None
        middle = median(gains)
        spread = 1.4826 * median(abs(gain - middle) for gain in gains)
        usual = max(spread, 0.02)
        return (
            f"{value:.4g}x after {best:.4g}x"
            if math.log(value / best) > middle + DEVIATIONS * usual
            else None
        )


def _figures(line: str) -> Iterator[tuple[str, float]]:
    for match in _RATE.finditer(line):
        unit = "flops" if "f" in match[3].lower() else "bytes"
        yield unit, float(match[1]) * _POWERS[match[2].lower()]
    for match in _SPEEDUP.finditer(line):
        yield "ratio", float(match[1] or match[2])


def _value(event: ev.Evaluation) -> float | None:
    if event.geomean is not None and event.geomean > 0:
        return event.geomean
    ratios = [ratio for row in event.scenarios if (ratio := ratio_of(row)) is not None]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def ratio_of(row: ev.ScenarioResult) -> float | None:
    """Baseline over candidate; from the two times where a row has no ratio, as wrong ones have none."""
    if row.ratio is not None:
        return row.ratio if row.ratio > 0 else None
    return row.baseline_ns / row.candidate_ns if row.baseline_ns and row.candidate_ns else None


def _right(event: ev.Evaluation) -> bool | None:
    """Whether it was right; None where the evaluation checked nothing, or could not tell."""
    status = event.status.upper()
    if status in UNCHECKED | NOT_JUDGED:
        return None
    if any(row.status.upper() in NOT_JUDGED for row in event.scenarios) and not any(
        row.status.upper() not in NOT_JUDGED | UNCHECKED | RIGHT for row in event.scenarios
    ):
        return None
    return event.correct == event.total if event.total else status in RIGHT
