"""An output as lines: bounded, free of terminal codes, and only those that may hold a figure."""

import re
from dataclasses import dataclass

EDGE = 64 * 1024  # characters kept of either end of an output
LONGEST = 400  # characters of a line: tables are narrower, dumps are wider
MOST = 400  # lines looked at: of more, the last, where scores are printed

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_REDRAWN = re.compile(r"[^\n]*\r(?!\n)")  # a progress line that was written over
_CUT = re.compile(
    r"— TRUNCATED|\+\d+ (?:more )?lines|\d+ more (?:chars|characters|bytes|lines)\b|\[\.\.\.|^\.\.\.$"
    r"|\btruncated\b|\bomitted\b|<(?:output|response) clipped>",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(r"\A *1[\t→].*\n *2[\t→]")  # as tools that read files print them
_NUMBER = re.compile(r"^ *\d+[\t→]", re.MULTILINE)
_FIGURE = re.compile(
    r"\d ?(?:[munµμ]s\b|msec|usec|[x×%]|[TG]FLOP|[TG]B/s|s\b)|speed-?up|peak|ms=|_ms\b|_us\b|gbps|tflops",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Output:
    """An output made fit to be looked at. `cut`: not all that was printed is here."""

    text: str
    cut: bool


def output_of(text: str) -> Output:
    """The start and the end of an output, without terminal codes and line numbers."""
    cut = len(text) > 2 * EDGE
    if cut:
        text = text[:EDGE] + "\n...\n" + text[-EDGE:]
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = _REDRAWN.sub("", text.replace("\r\n", "\n"))
    if _NUMBERED.match(text):
        text = _NUMBER.sub("", text)
    return Output(text, cut or _CUT.search(text) is not None)


def figure_lines(text: str) -> list[str]:
    """The lines in which a figure with a unit may stand, in order."""
    found: list[str] = []
    place = 0
    while (match := _FIGURE.search(text, place)) is not None:
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        if end - start <= LONGEST:
            found.append(text[start:end])
        place = end + 1
    return found[-MOST:]
