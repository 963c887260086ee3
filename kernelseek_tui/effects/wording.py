"""Which entries of a bank stand in a message, with parameters filled by whatever facts there were."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from bank.bank import Bank
from bank.params import placeholders
from bank.question import Question, text_hash

_LONGEST_FACT = 60  # what `bank.params.fill` cuts a fact to
_ANY = rf"[^\n]{{1,{_LONGEST_FACT}}}"


@dataclass(frozen=True)
class Wordings:
    """The questions of a bank as they may stand in a message."""

    bank: Bank

    @cached_property
    def version(self) -> str:
        """Hash of what records depend on: ids, groups and questions."""
        parts = sorted(f"{one.id}\n{one.group.value}\n{one.question}" for one in self.bank.entries)
        return sha256("\n\n".join(parts).encode()).hexdigest()[:16]

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of each entry's question."""
        return {one.id: text_hash(one.question) for one in self.bank.entries}

    @cached_property
    def _open(self) -> Sequence[tuple[re.Pattern[str], Question]]:
        return [(_pattern(one.question), one) for one in self.bank.entries if placeholders(one.question)]

    @cached_property
    def _fixed(self) -> Sequence[Question]:
        return [one for one in self.bank.entries if not placeholders(one.question)]

    def held(self, text: str) -> list[Question]:
        """The entries whose words stand in `text`, in the bank's order; one within another does not count."""
        found = [(one.question, one) for one in self._fixed if one.question in text]
        for pattern, one in self._open:
            match = pattern.search(text)
            if match is not None:
                found.append((match.group(), one))
        order = {one.id: place for place, one in enumerate(self.bank.entries)}
        kept = [
            one for words, one in found if not any(words != other and words in other for other, _ in found)
        ]
        return sorted(kept, key=lambda one: order[one.id])

    def is_entry(self, text: str, entry: str) -> bool:
        """Whether `text` is just the entry's question, parameters filled."""
        question = self.bank.find(entry)
        return question is not None and _pattern(question.question).fullmatch(text.strip()) is not None


def _pattern(question: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^{}]*\}", question)
    return re.compile(_ANY.join(re.escape(part) for part in parts))
