"""The terminal the screen would be drawn on."""

import curses
import locale
import os
import sys

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

WIDE, HIGH = 80, 24


def terminal(around: Surroundings) -> Finding:
    """Size, colours and characters. None at all is fine for `--headless`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        advice = "run doctor on the terminal itself to see what the screen gets; --headless needs none"
        return Finding("terminal", State.NOTE, "not a terminal", advice)
    size = os.get_terminal_size(sys.stdout.fileno())
    return judge(around, size.columns, size.lines, locale.getpreferredencoding(False))


def judge(around: Surroundings, columns: int, lines: int, encoding: str) -> Finding:
    """What these properties mean for the screen."""
    colours = _colours(around)
    found = f"{columns}x{lines}, {_name(colours)}, {encoding}, TERM {around.environment.get('TERM', 'unset')}"
    advice = []
    if columns < WIDE or lines < HIGH:
        advice.append(f"make it {WIDE}x{HIGH} or larger")
    if colours < 8:
        advice.append("set TERM to what your terminal is; without colours the screen is drawn in plain signs")
    if "utf" not in encoding.casefold():
        advice.append("choose a UTF-8 locale; without one the screen is drawn in ASCII")
    return Finding("terminal", State.NOTE if advice else State.OK, found, "; ".join(advice))


def _colours(around: Surroundings) -> int:
    if around.environment.get("NO_COLOR"):
        return 0
    if around.environment.get("COLORTERM", "").casefold() in ("truecolor", "24bit"):
        return 1 << 24
    try:
        curses.setupterm(around.environment.get("TERM", "dumb"), fd=2)
        return curses.tigetnum("colors")
    except curses.error:
        return 0  # a TERM that the system does not know


def _name(colours: int) -> str:
    return "true colour" if colours == 1 << 24 else f"{colours} colours" if colours > 0 else "no colours"


def tmux(around: Surroundings) -> Finding:
    """tmux: through it a question can be typed to an attached session as a real prompt."""
    path = around.which("tmux")
    if path is None:
        return Finding("tmux", State.NOTE, "not installed", "only needed to type into an attached session")
    answer = around.ask([path, "-V"])
    inside = "inside it" if around.environment.get("TMUX") else "not inside it"
    return Finding("tmux", State.OK if answer.good else State.NOTE, f"{answer.line}, {inside}")
