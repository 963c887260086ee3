"""Moments where nothing was asked, found for an asking to stand beside.

Askings come at plateaus and claims, after which scores often move on their own: without such moments beside
them any question would look good by regression to the mean.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from bank.effects.record import Record


class Matched:
    """Moments where nothing was asked, by their kind and by whether the agent was rehearsed."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_kind: dict[tuple[str | None, bool], list[Record]] = defaultdict(list)
        for record in records:
            if record.what == "matched":
                self._by_kind[(record.kind, record.rehearsed)].append(record)

    def of(self, record: Record) -> Sequence[Record]:
        """Moments of the same kind: of the same operator where there are any, else of all."""
        if record.kind is None:
            return ()
        alike = self._by_kind.get((record.kind, record.rehearsed), [])
        same = [one for one in alike if record.operator and one.operator == record.operator]
        return same or alike

    def all_of(self, records: Iterable[Record]) -> list[Record]:
        """The moments that match any of these, each once."""
        found = {(one.session, one.event): one for record in records for one in self.of(record)}
        return list(found.values())


def expected(record: Record, alike: Sequence[Record]) -> float | None:
    """The median change of the best at matched moments after as many evaluations as `record` has.

    The window of an asking may be cut short by the next message; theirs are read off at the same length. None
    where there is nothing to compare.
    """
    length = len(record.outcome.changes)
    if not length:
        return None
    changes = [one.outcome.changes[length - 1] for one in alike if len(one.outcome.changes) >= length]
    return median(changes) if changes else None
