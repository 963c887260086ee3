"""Lines that name a scenario and its figures: `shape=0 ms=0.57`, `b=1: ours 2.7 ms | ref 8.3 ms | 3.1x`."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from sessions.events import ToolCall
from sessions.recognisers.lines import figure_lines
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.words import (
    BASELINE,
    BOUND,
    CANDIDATE,
    NO_RATIO,
    NOT_A_RUN,
    NS,
    NUMBER,
    RIGHT,
    SUMMARY,
    WRONG,
    close,
    finite,
    half_step,
    is_noise,
    shape_of,
)

WHOLE = "the run"
"""The id of a row that was printed without a name."""

_FACT = re.compile(
    rf"(?:(?P<key>[A-Za-z_][\w/%-]{{0,40}})(?P<is>\s{{0,3}}[=:]\s{{0,8}}))?(?<![\w.,])(?P<number>{NUMBER}) ?"
    r"(?P<unit>[munµμ]s\b|msec\b|usec\b|sec\b|s\b|[x×](?!\w)|%|[TGMP]FLOP/?s\b|[TG]B/s|[TG]iB/s|tok/s)?(?![\w.]\w|\s?=)",
    re.IGNORECASE,
)
_TIME_KEY = re.compile(r"(?:(?P<role>\w*)_)?(?P<unit>ns|us|ms)\Z")  # small: NS=3 is a number of stages
_RATIO_KEY = re.compile(r"(?:\w*_)?speed-?up(?:_factor|_vs_(?P<over>\w+))?\Z", re.IGNORECASE)
_FRACTION_KEY = re.compile(
    r"(?:(?P<role>\w*?)_?)?(?:peak_fraction|fraction_of_peak|frac_of_peak)\Z", re.IGNORECASE
)
_RATE_KEY = re.compile(r"tflops|gflops|gbps|gb_s|tbps", re.IGNORECASE)
_SPEEDUP = re.compile(r"\bspeed-?up\b", re.IGNORECASE)
_DENIED = re.compile(
    rf"\bspeed-?up(?:_\w{{1,30}})?[ \t]{{0,3}}[=:]?[ \t]{{0,8}}(?P<figure>{NO_RATIO.pattern})(?![\w.])"
    r"|(?<![\w.-])(?P<bare>[-+]?(?:nan|inf)[x×]|[-−]\d{1,15}(?:\.\d{1,15})?[x×])(?!\w)",
    re.IGNORECASE,
)
_OVER = re.compile(r"\b(?:vs\.?|over|than|against)\s+(?:the\s+)?([A-Za-z_][\w.-]{0,30})", re.IGNORECASE)
_AFTER = re.compile(r"\s{0,2}\(?(faster|slower|speed-?up)\b", re.IGNORECASE)
_OF_PEAK = re.compile(
    r"\s{0,2}(?:of\s+(?:the\s+)?)?(?:\w+\s+){0,2}?(?:peak|roofline|sol|speed of light)\b", re.IGNORECASE
)
_PEAK = re.compile(r"\b(?:peak|sol|roofline)\b", re.IGNORECASE)
_IN = re.compile(r"\bin\s*\Z")
_EXTREME = re.compile(r"\b(?:max|min|best|worst)", re.IGNORECASE)
_LAST_WORD = re.compile(r"[\s|:,(\[]*\b([A-Za-z_]+)\Z")
_VARIANT = re.compile(r"\b(?:variant|impl|provider|backend|version|method|mode|name)\s*[=:]\s*([\w.-]+)")
_TIMED = re.compile(
    r"\b(?:latency|time|runtime|duration|mean|median|avg|average|per iter\w*)\b", re.IGNORECASE
)
_METRIC_WORDS = re.compile(
    r"[\s:|,;=>()\[\]-]*\b(?:latency|time|runtime|duration|mean|median|avg|average|speed-?up|is|at|got|takes)\s*\Z",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Line:
    """The figures of one line, before it is known which scenario they belong to."""

    label: str = ""
    ratio: float | None = None
    over: str = ""
    fraction: float | None = None
    bound: float | None = None
    times: list[tuple[str, float]] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)
    timed: bool = False
    average: bool = False
    no_ratio: str = ""
    slack: float = 0.0


class Labelled:
    """Recognises lines of a name and figures. Lines that belong together share a name."""

    name = "labelled lines"

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """The rows; None where fewer stand there than make a measurement."""
        rows: dict[str, Row] = {}
        timed = False
        for line in figure_lines(text):
            found = _read(line)
            if found is None:
                continue
            timed = timed or found.timed
            _merge(rows, found, line)
        kept = _kept(list(rows.values()), timed)
        return Recognised(rows=tuple(kept)) if kept else None


def _read(line: str) -> _Line | None:
    if is_noise(shape_of(line)) or line.lstrip().startswith(("|", "│", "+-")):
        return None  # or a table, which has a recogniser of its own
    found = _Line()
    role = ""
    if variant := _VARIANT.search(line):
        role = variant[1].lower()
        if _role(role):
            line = line[: variant.start()] + line[variant.end() :]
        else:
            role = ""
    denied = _DENIED.search(line)
    if denied is not None:
        found.no_ratio = (denied["figure"] or denied["bare"]).strip()
    end, first = 0, -1
    for fact in _FACT.finditer(line):
        if denied is not None and denied.start() < fact.end() and fact.start() < denied.end():
            continue
        if line[: fact.start()].endswith(("-", "−")) and line[: fact.start() - 1][-1:] in (
            "",
            " ",
            "=",
            ":",
            "(",
        ):
            continue  # a sign, and nothing that is measured here is negative
        context = line[end : fact.start()]
        if not _take(found, fact, line, context, role):
            continue
        if first < 0:  # the word before `: 1.2 ms` may be the scenario's name, that of `ms=1.2` is not
            first = fact.start("number") if fact["unit"] else fact.start()
        end = fact.end()
    if denied is not None and (first < 0 or denied.start() < first):
        first = denied.start()
    if first < 0:
        return None
    found.label = f"{_label(line[:first])} average".strip() if found.average else _label(line[:first])
    return found


def _take(found: _Line, fact: re.Match[str], line: str, context: str, role: str) -> bool:
    """Note one figure; False where it is none of ours, such as a size."""
    value = finite(fact["number"])
    if value is None:
        return False
    unit, key = (fact["unit"] or "").lower(), fact["key"] or ""
    if unit in NS:
        return _time(found, fact["number"], unit, f"{context} {key}", role)
    if not unit and (timed := _TIME_KEY.match(key)):
        return _time(found, fact["number"], timed["unit"], f"{context} {timed['role'] or ''}", role)
    if unit in ("x", "×") or (not unit and _RATIO_KEY.match(key)):
        return _ratio(found, fact["number"], key, context, line[fact.end() :])
    if unit == "%":
        if not _OF_PEAK.match(line, fact.end()) and not _PEAK.search(f"{context} {key}"):
            return False
        return _fraction(found, value / 100, "")
    if kept := _FRACTION_KEY.match(key):
        return _fraction(found, value, kept["role"] or "")
    if (unit and ("flop" in unit or "b/s" in unit)) or (not unit and _RATE_KEY.fullmatch(key)):
        if _role(role) != "baseline":
            found.rates.append(f"{fact['number']} {fact['unit'] or key}")
        return True
    return False


def _time(found: _Line, number: str, unit: str, context: str, role: str) -> bool:
    value = float(number)
    before = _before_time(shape_of(context))
    if before is None:
        return False
    named, of_time = before
    named = role or named
    kind = _role(named)
    if unit in ("s", "sec") and not kind:
        return False  # a bare number of seconds is how long something took, not a kernel's time
    if value <= 0:
        return False
    found.timed = found.timed or kind == "candidate" or of_time
    found.slack += half_step(number)
    found.times.append((f"{kind}:{named}" if kind else "", value * NS[unit]))
    return True


@lru_cache(maxsize=4096)
def _before_time(context: str) -> tuple[str, bool] | None:
    """What the words before a time say: whose it is, and that it is one. None: it is no kernel's."""
    if NOT_A_RUN.search(context) or _IN.search(context):
        return None  # "Installed 3 packages in 17 ms"
    words = re.findall(r"[A-Za-z]+", context)[-3:]
    named = next((word.lower() for word in reversed(words) if _role(word)), "")
    return named, _TIMED.search(context) is not None


def _ratio(found: _Line, number: str, key: str, context: str, rest: str) -> bool:
    value = float(number)
    after = _AFTER.match(rest)
    said = bool(_RATIO_KEY.match(key) or _SPEEDUP.search(context) or (after and after[1].lower() != "slower"))
    over = _OVER.match(rest.lstrip(" ()x×,")) or _OVER.search(f"{context} {key}")
    if _EXTREME.search(context):
        return False
    if value <= 0 and said and "geo" not in context.lower():
        found.no_ratio = f"{number}x"
        return True
    if value <= 0 or found.ratio is not None:
        return False
    found.slack += half_step(number)
    found.average = SUMMARY.search(context) is not None
    if after and after[1].lower() == "slower":
        found.ratio = 1 / value
    elif said or over or len(found.times) == 2:
        found.ratio = value if said or over else _checked(value, found.times)
    found.over = found.over or (over[1].strip(".").lower() if over else "")
    return found.ratio is not None


def _checked(value: float, times: list[tuple[str, float]]) -> float | None:
    """A bare `1.2x` counts where the two times before it say the same."""
    base = next((time for role, time in times if role.startswith("baseline")), None)
    ours = next((time for role, time in times if not role.startswith("baseline")), None)
    if base is None or ours is None:
        return None
    return value if close(base / ours, value, 0.03) else None


def _fraction(found: _Line, value: float, role: str) -> bool:
    if value < 0 or _role(role) == "baseline":
        return False
    found.fraction = value
    return True


def _role(word: str) -> str:
    name = word.strip("_").lower()
    if name in BASELINE:
        return "baseline"
    if name in CANDIDATE:
        return "candidate"
    return "bound" if name in BOUND else ""


@lru_cache(maxsize=4096)
def _label(text: str) -> str:
    """The scenario's name: what stands before the first figure, less the words that name the figure."""
    while True:
        shorter = _METRIC_WORDS.sub("", text).strip().strip(":|,;=>-–—•*").rstrip("([").strip()
        last = _LAST_WORD.search(shorter)
        if last and _role(last[1]) and not shorter[: last.start()].endswith(("=", "-")):
            shorter = shorter[: last.start()].strip()
        if shorter == text:
            return " ".join(text.split())[:120]
        text = shorter


def _merge(rows: dict[str, Row], found: _Line, line: str) -> None:
    name = found.label
    end = line.rstrip()[-20:]
    status = "WRONG" if WRONG.search(end) else "CORRECT" if RIGHT.search(end) else ""
    before = rows.get(name, Row(name or WHOLE))
    bases = dict(before.baselines)
    ours: list[float] = []
    bound = before.bound_ns
    for role, time in found.times:
        kind, _, named = role.partition(":")
        if kind == "baseline":
            bases[named or "baseline"] = time
        elif kind == "bound":
            bound = time
        else:
            ours.append(time)
    candidate = ours[0] if len(ours) == 1 else None  # of two times without a role neither is known
    rows[name] = Row(
        id=name or WHOLE,
        ratio=before.ratio if found.ratio is None else found.ratio,
        over=found.over or before.over,
        fraction=before.fraction if found.fraction is None else found.fraction,
        candidate_ns=before.candidate_ns if candidate is None else candidate,
        baselines=bases,
        bound_ns=bound,
        status="WRONG" if "WRONG" in (status, before.status) else status or before.status,
        rate=", ".join(found.rates) or before.rate,
        no_ratio=found.no_ratio or before.no_ratio,
        slack=before.slack + found.slack,
    )


def _kept(rows: list[Row], timed: bool) -> list[Row]:
    """The rows of one kind: scores where there are any, else times that look alike."""
    scored = [row for row in rows if _scores(row) or row.no_ratio]
    if any(_scores(row) for row in scored):
        named = [row for row in scored if row.id != WHOLE and not SUMMARY.search(row.id)]
        return named or scored
    times = [row for row in rows if row.candidate_ns is not None and not SUMMARY.fullmatch(row.id)]
    groups: dict[str, list[Row]] = {}
    for row in times:
        groups.setdefault(re.sub(r"[\d\s.]+", "#", row.id), []).append(row)
    largest = max(groups.values(), key=len, default=[])
    if len(largest) > 1:
        return largest
    return times if timed and times else []


def _scores(row: Row) -> bool:
    measured = row.candidate_ns is not None and bool(row.baselines)
    return row.ratio is not None or row.fraction is not None or measured
