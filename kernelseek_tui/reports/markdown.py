"""The report as Markdown, with tables as GitHub draws them. No text of a session is markup in it."""

import re
from collections.abc import Iterator

from kernelseek_tui.plain import visible
from kernelseek_tui.reports.document import Heading, Picture, Table, Words, document
from kernelseek_tui.reports.model import Report

MOST_ROWS = 200
_SIGNS = re.compile(r"([\\`*_{}\[\]#!|~$^@]|(?<=:)/(?=/)|(?<=www)\.)", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render(report: Report) -> str:
    """The whole text, ending in a line end."""
    return "\n".join(_lines(report)) + "\n"


def words(text: str) -> str:
    """Text of a session on one line, none of it markup, link, mention or HTML."""
    flat = " ".join(visible(text).replace("\t", " ").split(" "))
    for sign, entity in _ENTITIES.items():
        flat = flat.replace(sign, entity)
    return "<br>".join(_SIGNS.sub(r"\\\1", part) for part in flat.split("\n"))


def _lines(report: Report) -> Iterator[str]:
    for block in document(report):
        match block:
            case Heading():
                yield f"{'#' * block.level} {words(block.text)}"
            case Words():
                yield f"**{words(block.text)}**" if block.mark and block.text else words(block.text)
            case Picture():
                continue  # the table after it says the same in words
            case Table():
                yield from _table(block)
        yield ""


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        return
    yield f"{words(table.title)}:"
    yield ""
    yield "| " + " | ".join(map(words, table.columns)) + " |"
    yield "| " + " | ".join("---:" if n in table.numbers else "---" for n in range(len(table.columns))) + " |"
    for row in table.rows[:MOST_ROWS]:
        yield "| " + " | ".join(words(cell) or " " for cell in row) + " |"
    if len(table.rows) > MOST_ROWS:
        left = len(table.rows) - MOST_ROWS
        yield ""
        yield f"{left:,} more rows are left out here; the JSON format has them all."
