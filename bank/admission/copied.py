"""Q19: words taken over from a source. A lesson is in our own words, and a question in others again."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bank.admission.context import Context, Passage
from bank.admission.finding import LintFinding
from bank.files import read_text
from bank.question import Question

RUN = 8
"""So many words in a row count as copied. Shorter texts cannot be told from stock phrases."""

MAX_BYTES = 16 << 20

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_NEW_PASSAGE = re.compile(r"\s*(?:[-*+>#|]|\d+[.)]\s|$)")


def words_of(text: str) -> list[str]:
    """The words of a text without case and punctuation; a hyphen parts two words."""
    return _WORD.findall(text.lower().replace("’", "'"))


def read_passages(path: Path) -> tuple[Passage, ...]:
    """A text or Markdown file as paragraphs, list items and table cells.

    Raises `BankError` when it cannot be read, is no regular file or UTF-8 text, or is larger than 16 MiB.
    """
    text = read_text(path, MAX_BYTES, advice=", name a text file")
    return tuple(passage for passage in _passages(str(path), text) if len(passage.words) >= RUN)


def _passages(file: str, text: str) -> Iterator[Passage]:
    words: list[str] = []
    lines: list[int] = []
    for number, raw in enumerate(text.splitlines(), 1):
        # Prose is wrapped at any word; the cells of a table have nothing to do with each other.
        cells = raw.split("|") if raw.lstrip().startswith("|") else [raw]
        for cell in cells:
            if (_NEW_PASSAGE.match(raw) or len(cells) > 1) and words:
                yield Passage(file, tuple(words), tuple(lines))
                words, lines = [], []
            found = words_of(cell)
            words += found
            lines += [number] * len(found)
    if words:
        yield Passage(file, tuple(words), tuple(lines))


def _texts(entry: Question) -> Iterator[tuple[str, str]]:
    yield "question", entry.question
    yield "measurement.method", entry.measurement.method
    yield "measurement.number", entry.measurement.number
    yield "answered_when", entry.answered_when
    for place, source in enumerate(entry.sources):
        yield f"sources.{place}.lesson", source.lesson


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


_Field = tuple[int, str]
_Index = dict[tuple[str, ...], list[_Field]]

_FIRST = 50
"""So many places of a run are remembered: where it stands oftener the bank is refused as surely."""


def _remember(index: _Index, words: Sequence[str], at: _Field) -> None:
    for run in _runs(words):
        known = index[run]
        if len(known) < _FIRST and at not in known:
            known.append(at)


def copied(entries: Sequence[Question], context: Context) -> Iterator[LintFinding]:
    """Q19: eight words in a row that a lesson, or a text given beside the bank, has too.

    A question, method, number and answered-when are compared with every lesson; a lesson with those of
    earlier entries; all of them with the texts given. Of each field the longest run is told.
    """
    fields: _Index = defaultdict(list)
    lessons: _Index = defaultdict(list)
    texts = [
        (order, field, words_of(text)) for order, one in enumerate(entries) for field, text in _texts(one)
    ]
    for order, field, words in texts:
        _remember(fields, words, (order, field))
        if _is_lesson(field):
            _remember(lessons, words, (order, field))
    longest: dict[_Field, tuple[Sequence[str], str]] = {}

    def keep(at: _Field, run: Sequence[str], where: str) -> None:
        if len(run) > len(longest.get(at, ((), ""))[0]):
            longest[at] = run, where

    for order, field, words in texts:
        # The first that has a run is remembered, so a lesson finds an earlier one if there is any.
        for (owner, _), start, end in sorted(_shared(words, lessons)):
            if not _is_lesson(field) or owner < order:
                keep((order, field), words[start:end], f"a lesson of {entries[owner].id}")
    for passage in context.passages:
        for at, start, end in _shared(passage.words, fields):
            keep(at, passage.words[start:end], f"line {passage.lines[start]} of {passage.file}")
    for (order, field), (shared, where) in sorted(longest.items()):
        message = f"{field} shares {len(shared)} words in a row with {where}, say it in other words"
        yield LintFinding(entries[order].id, "Q19", "error", " ".join(shared), message)


def _is_lesson(field: str) -> bool:
    return field.startswith("sources")


def _shared(words: Sequence[str], index: _Index) -> Iterable[tuple[_Field, int, int]]:
    """The stretches of a text that fields of the bank have too: field, first word, word after the last."""
    running: dict[_Field, int] = {}
    for start, run in enumerate(_runs(words)):
        here = set(index.get(run, ()))
        for field in [field for field in running if field not in here]:
            yield field, running.pop(field), start + RUN - 1
        for field in here:
            running.setdefault(field, start)
    for field, start in running.items():
        yield field, start, len(words)
