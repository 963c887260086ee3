"""What is known of entries beside their text: records of askings, and reviews. Read beside the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bank.bank import Bank
from bank.effects.record import Record
from bank.effects.store import cache_path, read_store
from bank.effects.summary import Row, by_entry, distinct
from bank.errors import BankError
from bank.question import Question, text_hash
from bank.reviews import Review, read_reviews, reviews_file, standing
from bank.reviews.standing import words_of
from kernelseek_tui.app.bank_filters import ASKED, MOVED, NUMBER, UNTESTED


@dataclass(frozen=True)
class Known:
    """Effects by entry: the row of real agents first, then that of rehearsed ones. Reviews by entry.

    `read`: it has been looked for. `effects_lost`, `reviews_lost`: why there are none, one clause.
    """

    effects: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    reviews: Mapping[str, Sequence[Review]] = field(default_factory=dict)
    read: bool = False
    effects_lost: str = ""
    reviews_lost: str = ""

    def row(self, entry: str) -> Row | None:
        """What came of the entry with agents that were no rehearsed ones."""
        return next((row for row in self.effects.get(entry, ()) if not row.rehearsed), None)

    def reached(self, entry: str) -> tuple[str, ...]:
        """Which of `bank_filters.EFFECTS` the entry has reached, in its present wording and asked alone."""
        row = self.row(entry)
        if row is None or not row.counted:
            return (UNTESTED,)
        number, moved = (NUMBER,) * bool(row.answered.hits), (MOVED,) * bool(row.new_layer.hits)
        return (ASKED, *number, *moved)

    def review_words(self, entry: Question) -> str:
        """Where the entry stands with its reviewers, in a few words."""
        if self.reviews_lost:
            return f"not known: {self.reviews_lost}"
        return words_of(standing(entry, self.reviews.get(entry.id, ()))) if self.read else "being read"


def learn(bank: Bank, effects: Path | None = None) -> Known:
    """Read what is kept of askings (`effects`, else the file of this machine) and the reviews of the bank.

    Never raises for what is in the files.
    """
    stored = read_store(effects or cache_path())
    records = [_without_scores(one) for block in stored.blocks.values() for one in block.records]
    wordings = {entry.id: text_hash(entry.question) for entry in bank.entries}
    rows: dict[str, list[Row]] = {}
    for row in by_entry(distinct(records), wordings):
        rows.setdefault(row.name, []).append(row)
    reviews: dict[str, list[Review]] = {}
    lost = ""
    try:
        for file in sorted({reviews_file(Path(file)) for file in set(bank.files.values())}):
            for review in read_reviews(file):
                reviews.setdefault(review.entry, []).append(review)
    except BankError as error:
        lost = str(error)
    return Known(
        effects={name: sorted(found, key=lambda row: row.rehearsed) for name, found in rows.items()},
        reviews=reviews,
        read=True,
        effects_lost=stored.trouble,
        reviews_lost=lost,
    )


def _without_scores(record: Record) -> Record:
    """The change of the score is not shown here, and its interval takes a thousand draws an entry."""
    return record.model_copy(update={"outcome": record.outcome.model_copy(update={"changes": ()})})
