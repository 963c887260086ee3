"""Counts of askings that a ranker and a screen look up: by group and kind of moment, and by entry."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bank.effects.store import Other, raw_blocks


@dataclass(frozen=True)
class Pooled:
    """Past effect over the sessions kept on this machine, those of a rehearsed agent left out.

    A trial is a message with a question of the group at a moment of the kind, however many of the group's
    questions stood in it. It succeeded where a number came back from a layer that had not been measured
    before. By entry only askings of that entry alone count: of several nothing tells which was taken up.
    """

    _pairs: Mapping[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    _entries: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    overall: tuple[int, int] = (0, 0)
    """Successes and trials of all groups and kinds."""

    @classmethod
    def load(cls, path: Path) -> "Pooled":
        """From the file of `bank.effects.store`; empty where there is none that can be used."""
        try:
            return cls.of(record for source, records in raw_blocks(path) if source.kept for record in records)
        except (OSError, Other, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls()

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> "Pooled":
        """From records as JSON objects. One that is there twice counts once."""
        messages: dict[tuple[str, str, str, str], bool] = {}
        entries: dict[tuple[str, str, str], bool] = {}
        for record in records:
            if record["what"] != "asked" or record["rehearsed"]:
                continue
            outcome, group, kind = record["outcome"], record["group"], record["kind"]
            name = (str(record["session"]), str(record["event"]))
            if group and kind:
                messages[(*name, str(group), str(kind))] = bool(outcome["new_number"])
            if record["entry"] and record["together"] == 1 and record["wording"]:
                entries[(*name, str(record["entry"]))] = outcome["calls"] is not None
        pairs = _counted(((group, kind), good) for (_, _, group, kind), good in messages.items())
        overall = (sum(good for good, _ in pairs.values()), sum(asked for _, asked in pairs.values()))
        return cls(pairs, _counted((entry, good) for (_, _, entry), good in entries.items()), overall)

    def trials(self, group: str, kind: str) -> int:
        """Messages that asked a question of the group at such moments."""
        return self._pairs.get((group, kind), (0, 0))[1]

    def successes(self, group: str, kind: str) -> int:
        """Those of them after which a number came back from a layer that had not been measured."""
        return self._pairs.get((group, kind), (0, 0))[0]

    def asked(self, entry: str) -> int:
        """How often the entry was asked, alone and as the bank has it."""
        return self._entries.get(entry, (0, 0))[1]

    def answered(self, entry: str) -> int:
        """After how many of those a number came back."""
        return self._entries.get(entry, (0, 0))[0]


def past_words(pooled: Pooled, entry: str) -> str:
    """What is known of an entry, in a few words."""
    asked = pooled.asked(entry)
    if not asked:
        return "untested"
    times = "once" if asked == 1 else f"{asked} times"
    return f"asked {times}: {pooled.answered(entry)} answered with a number"


def _counted(items: Iterable[tuple[Any, bool]]) -> dict[Any, tuple[int, int]]:
    good: Counter[Any] = Counter()
    total: Counter[Any] = Counter()
    for name, succeeded in items:
        good[name] += succeeded
        total[name] += 1
    return {name: (good[name], number) for name, number in total.items()}
