"""How numbers are written: ratios with their interval and verdict, times, counts, money."""

from sessions import events as ev

VERDICT_ROLES = {"FASTER": "good", "SLOWER": "bad", "SAME": "muted", "AMBIGUOUS": "warn"}


def ratio(value: float | None, times: str = "×") -> str:
    """`1.83×`; a dash where there is no number."""
    return "–" if value is None else f"{value:.2f}{times}" if value < 100 else f"{value:.0f}{times}"


def interval(low: float | None, high: float | None) -> str:
    """`[1.79, 1.88]`, or nothing."""
    return "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def verdict(evaluation: ev.Evaluation) -> str:
    """FASTER, SLOWER, SAME or AMBIGUOUS from the geometric mean's interval and the recorded floor.

    Empty where the evaluation carries no interval or floor: no word is better than a guessed one.
    """
    low, high, floor = evaluation.low, evaluation.high, evaluation.noise_floor
    if low is None or high is None or floor is None:
        return ""
    if low > 1 + floor:
        return "FASTER"
    if high < 1 - floor:
        return "SLOWER"
    if low >= 1 - floor and high <= 1 + floor:
        return "SAME"
    return "AMBIGUOUS"


def duration(seconds: float) -> str:
    """`0.4 s`, `14 s`, `2 m 05 s`, `1 h 52 m`."""
    if seconds < 0:
        return ""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} m"


def count(value: int) -> str:
    """`950`, `12.3k`, `4.1M`."""
    if value < 1000:
        return str(value)
    if value < 999_950:
        return f"{value / 1000:.1f}k"
    return f"{value / 1_000_000:.1f}M"


def judged(evaluation: ev.Evaluation) -> str:
    """Who measured: the judge, or numbers read out of the session, which nobody judged."""
    return "judge" if evaluation.source_kind == "judge" else "not judged"


def bad_status(status: str) -> bool:
    """The scenario or evaluation is not an honest, counted answer."""
    return status.upper() not in ("CORRECT", "UNSUPPORTED", "PARSED", "NOT_RUN", "")
