"""Which entries of a bank may be offered at a moment at all, before any is preferred."""

from bank.question import Question
from bank.ranking.made import made
from bank.ranking.moment import RankingFacts


def offered(moment: RankingFacts) -> list[Question]:
    """Entries that serve the moment's kind, in the bank's order.

    Left out are deprecated ones, those for another family of devices or for one that is not known, those that
    compare with another implementation where none was measured, and those whose measurement was made on the
    build that stands.
    """
    return [
        entry
        for entry in moment.bank.select(kind=moment.kind)
        if (not entry.architectures or moment.family in entry.architectures)
        and (not entry.needs_upstream or moment.upstream)
        and not made(entry, moment.done_since, moment.figures_since)
    ]
