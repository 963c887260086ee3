"""The score over a session as SVG, drawn by this file alone: points, best so far, flags and messages on it.

Right, wrong and ambiguous points differ in shape as well as colour. Wrong ones, which have no score, stand in
a lane of their own below the curve. All text is escaped; there is no script and nothing is loaded.
"""

from collections.abc import Iterator, Sequence
from html import escape

from kernelseek_tui.plain import one_line
from kernelseek_tui.reports import figures
from kernelseek_tui.reports.axis import Axis, axis_of
from kernelseek_tui.reports.model import REHEARSED, MomentRow, PointRow, SessionReport

WIDTH, HEIGHT = 920, 390
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 58, 96
MOST_POINTS = 800
MOST_FLAGS = 60
MOST_MESSAGES = 120
_TITLE = 160  # characters of what a mark says when pointed at

STYLE = """
.ks{font:12px system-ui,sans-serif;fill:#1f2328}.ks text{fill:inherit}.ks .faint{fill:#59636e}
.ks .grid{stroke:#d1d9e0;stroke-width:1;fill:none}.ks .one{stroke:#59636e;stroke-dasharray:2 3}
.ks .best{stroke:#0969da;fill:none;stroke-width:2}.ks .right{fill:#0969da}.ks .new{fill:#1a7f37}
.ks .wrong{stroke:#cf222e;stroke-width:2}.ks .ambiguous{fill:none;stroke:#9a6700;stroke-width:1.5}
.ks .bar{stroke:#59636e;stroke-opacity:.55}.ks .flag{fill:#bc4c00}.ks .pole{stroke:#bc4c00;stroke-opacity:.4}
.ks .said{fill:#8250df}.ks .mark{fill:#cf222e;font-weight:600}
@media (prefers-color-scheme:dark){.ks{fill:#e6edf3}.ks .faint{fill:#9198a1}.ks .grid{stroke:#3d444d}
.ks .one{stroke:#9198a1}.ks .best{stroke:#4493f8}.ks .right{fill:#4493f8}.ks .new{fill:#3fb950}
.ks .wrong{stroke:#f85149}.ks .ambiguous{stroke:#d29922}.ks .bar{stroke:#9198a1}.ks .flag{fill:#f0883e}
.ks .pole{stroke:#f0883e}.ks .said{fill:#ab7df8}.ks .mark{fill:#f85149}}
""".strip().replace("\n", "")


def text(words: str, limit: int = _TITLE) -> str:
    """Words of a session, safe between tags and in attributes."""
    return escape(one_line(words, limit))


def curve(session: SessionReport, alone: bool = False) -> str:
    """The picture of a session. `alone`: a file of its own, with a background."""
    return "".join(_drawn(session, alone))


def _drawn(session: SessionReport, alone: bool) -> Iterator[str]:
    score = session.score
    shown = thinned(score.points)
    values = [point.value for point in shown if _has_score(point) and point.value is not None]
    axis = axis_of([*values, *([1.0] if score.ratio and values else [])], log=score.ratio)
    across = Axis(0.0, max(1.0, float(session.entries - 1)), False)
    name = f"Score of {session.name} over its entries"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ks" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'width="{WIDTH}" height="{HEIGHT}" aria-label="{text(name)}"><style>{STYLE}</style>'
    )
    yield f"<title>{text(name)}</title>"
    if alone:
        yield (
            "<style>.paper{fill:#fff}@media (prefers-color-scheme:dark){.paper{fill:#0d1117}}</style>"
            f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'
        )
    yield from _head(session)
    yield from _grid(axis, across, score.ratio, bool(values))
    yield from _messages(session, across)
    yield from _flags(session.flags, across)
    if values:
        yield from _points(shown, axis, across)
    else:
        yield _label(
            WIDTH / 2, (TOP + HEIGHT - BOTTOM) / 2, "No score is recognised here.", "faint", "middle"
        )
    yield from _wrong(shown, across)
    yield from _legend(HEIGHT - 10)
    yield "</svg>"


def thinned(points: Sequence[PointRow], most: int = MOST_POINTS) -> list[PointRow]:
    """At most about `most` points: every new best, and of the others every n-th."""
    if len(points) <= most:
        return list(points)
    step = -(-len(points) // most)
    return [point for place, point in enumerate(points) if point.best or place % step == 0]


def _has_score(point: PointRow) -> bool:
    return point.value is not None and point.value > 0 and point.mark != "wrong"


def _x(across: Axis, entry: int) -> float:
    return LEFT + across.place(entry) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM)


def _label(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{text(words)}</text>'


def _head(session: SessionReport) -> Iterator[str]:
    score = session.score
    what = f"geometric mean over {score.baseline}" if score.ratio and score.baseline else "score"
    yield _label(LEFT, 18, f"{what}, {score.named}", "faint")
    if session.rehearsed:
        yield _label(WIDTH - RIGHT, 18, REHEARSED, "mark", "end")


def _grid(axis: Axis, across: Axis, ratio: bool, scored: bool) -> Iterator[str]:
    right = WIDTH - RIGHT
    for tick in axis.ticks() if scored else ():
        y = _y(axis, tick)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield _label(LEFT - 8, y + 4, f"{tick:.3g}{'×' if ratio else ''}", "faint", "end")
    if scored and ratio and axis.low <= 1 <= axis.high:
        yield f'<path class="one" d="M{LEFT} {_y(axis, 1.0):.1f}H{right}"/>'
    base = HEIGHT - BOTTOM
    yield f'<path class="grid" d="M{LEFT} {TOP}V{base}H{right}"/>'
    for tick in across.ticks(8):
        if tick == int(tick):
            yield _label(_x(across, int(tick)), HEIGHT - BOTTOM + 56, f"{int(tick)}", "faint", "middle")
    yield _label(LEFT - 8, HEIGHT - BOTTOM + 56, "entry", "faint", "end")


def _points(points: Sequence[PointRow], axis: Axis, across: Axis) -> Iterator[str]:
    path: list[str] = []
    for point in points:
        if point.best and point.value is not None:
            x, y = _x(across, point.entry), _y(axis, point.value)
            path.append(f"H{x:.1f}V{y:.1f}" if path else f"M{x:.1f} {y:.1f}")
    if path:
        yield f'<path class="best" d="{"".join(path)}H{_x(across, int(across.high)):.1f}"/>'
    for point in points:
        if not _has_score(point) or point.value is None:
            continue
        x, y = _x(across, point.entry), _y(axis, point.value)
        if point.low is not None and point.high is not None and point.low > 0:
            yield f'<path class="bar" d="M{x:.1f} {_y(axis, point.low):.1f}V{_y(axis, point.high):.1f}"/>'
        kind = "ambiguous" if point.mark == "ambiguous" else "new" if point.best else "right"
        said = f"entry {point.entry}: {point.value:.4g}, {point.status}, {point.mark}"
        said += ", a new best" if point.best else ""
        radius = 4 if point.best or kind == "ambiguous" else 3
        where = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius}"'
        yield f'<circle class="{kind}" {where}><title>{text(said)}</title></circle>'


def _wrong(points: Sequence[PointRow], across: Axis) -> Iterator[str]:
    lost = [point for point in points if not _has_score(point)]
    if not lost:
        return
    y = HEIGHT - BOTTOM + 14
    yield _label(LEFT - 8, y + 4, "wrong", "faint", "end")
    for point in lost:
        x = _x(across, point.entry)
        said = f"entry {point.entry}: {point.status}, {'wrong' if point.mark == 'wrong' else 'no score'}"
        yield (
            f'<path class="wrong" d="M{x - 4:.1f} {y - 4}l8 8m0-8l-8 8"><title>{text(said)}</title></path>'
        )


def _legend(y: int) -> Iterator[str]:
    """Each sign once, beside its name."""
    signs = (
        ('<circle class="new" cx="{x}" cy="{y}" r="4"/>', "new best"),
        ('<circle class="right" cx="{x}" cy="{y}" r="3"/>', "measured"),
        ('<circle class="ambiguous" cx="{x}" cy="{y}" r="4"/>', "ambiguous"),
        ('<path class="wrong" d="M{x} {y}m-4-4l8 8m0-8l-8 8"/>', "wrong"),
        ('<path class="flag" d="M{x} {y}m0 5l-5-9h10z"/>', "decision point"),
        ('<path class="said" d="M{x} {y}m0-5l5 9h-10z"/>', "message to the agent"),
    )
    x = LEFT + 8
    for sign, name in signs:
        yield sign.format(x=x, y=y - 4)
        yield _label(x + 10, y, name, "faint")
        x += 34 + 7 * len(name)


def _flags(flags: Sequence[MomentRow], across: Axis) -> Iterator[str]:
    for number, flag in enumerate(flags[:MOST_FLAGS], 1):
        x = _x(across, flag.entry)
        yield f'<path class="pole" d="M{x:.1f} {TOP - 8}V{HEIGHT - BOTTOM}"/>'
        said = f"{number}. {flag.kind} at entry {flag.entry}: {flag.reason}"
        yield f'<path class="flag" d="M{x:.1f} {TOP - 8}l-5-9h10z"><title>{text(said)}</title></path>'
        if len(flags) <= MOST_FLAGS // 2:
            yield _label(x, TOP - 20, str(number), "faint", "middle")


def _messages(session: SessionReport, across: Axis) -> Iterator[str]:
    if not session.messages:
        return
    y = HEIGHT - BOTTOM + 32
    yield _label(LEFT - 8, y + 4, "said", "faint", "end")
    for message in session.messages[:MOST_MESSAGES]:
        x = _x(across, message.entry)
        said = f"entry {message.entry}: {message.by}, {message.act or 'unclear'}: {message.text}"
        yield f'<path class="said" d="M{x:.1f} {y - 5}l5 9h-10z"><title>{text(said)}</title></path>'


def note(session: SessionReport) -> str:
    """What the picture leaves out, if anything."""
    left = []
    if len(session.score.points) > MOST_POINTS:
        left.append(figures.count(len(session.score.points) - len(thinned(session.score.points)), "point"))
    if len(session.flags) > MOST_FLAGS:
        left.append(figures.count(len(session.flags) - MOST_FLAGS, "decision point"))
    if len(session.messages) > MOST_MESSAGES:
        left.append(figures.count(len(session.messages) - MOST_MESSAGES, "message"))
    return f"Not drawn: {', '.join(left)}." if left else ""
