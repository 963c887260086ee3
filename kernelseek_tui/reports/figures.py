"""How a report writes numbers: ratios, shares, times, money. A dash stands for what is not known."""

UNKNOWN = "–"


def ratio(value: float | None, over_a_baseline: bool = True) -> str:
    """`1.83×`; without a baseline the number as it is."""
    if value is None:
        return UNKNOWN
    digits = f"{value:.2f}" if 0.1 <= value < 100 else f"{value:.3g}"
    return f"{digits}×" if over_a_baseline else digits


def share(value: float | None) -> str:
    """`26 %` of a value from 0 to 1."""
    return UNKNOWN if value is None else f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"


def duration(seconds: float | None) -> str:
    """`14 s`, `2 m 05 s`, `1 h 52 m`."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} m"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 claim`, `3 claims`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def money(usd: float) -> str:
    """`$1.24`; a dash where nothing names a price."""
    return f"${usd:,.2f}" if usd else UNKNOWN


def entry(number: int | None) -> str:
    """The entry a row belongs to."""
    return UNKNOWN if number is None else str(number)
