"""What `bank effects` tells: rows, what is untested, and what was counted apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.effects.record import MEASURED_BY, Record
from bank.effects.summary import Row, by_entry, by_group
from kernelseek_tui.effects.journals import Effects
from kernelseek_tui.effects.wording import Wordings


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is asked for; None means all. `rehearsed`: rows of the rehearsed agent, too."""

    entry: str | None = None
    group: str | None = None
    kind: str | None = None
    rehearsed: bool = False

    def takes(self, record: Record) -> bool:
        """A record of what is asked for. Moments where nothing was asked belong to no entry and no group."""
        if self.kind is not None and record.kind != self.kind:
            return False
        if record.what != "asked":
            return True
        return self.entry in (None, record.entry) and self.group in (None, record.group)


@dataclass(frozen=True, slots=True)
class Report:
    """`entries` and `groups` are what was asked; `untested` are entries nobody asked, a rehearsal aside.

    `askings` counts messages with an entry of the bank, `elsewhere` those with entries of other banks alone;
    `not_here` are ids in the rows that the bank does not have. `of` counts the entries that are chosen and
    may be asked; `deprecated` is the id of the one chosen entry where it may not.

    `own_words` and `program` count messages without an entry, `asking` those of a person's that are
    questions. `matched` counts, by kind, moments where nothing was asked. `rehearsed_askings` and
    `rehearsed_sessions` are of the rehearsed agent.
    """

    bank: str
    measured_by: int
    sessions: int
    measured: int
    gone: int
    askings: int
    elsewhere: int
    not_here: Sequence[str]
    rehearsed_askings: int
    rehearsed_sessions: int
    rehearsed_shown: bool
    own_words: int
    asking: int
    program: int
    matched: Mapping[str, int]
    entries: Sequence[Row]
    groups: Sequence[Row]
    untested: Sequence[str]
    of: int
    deprecated: str


def report_of(found: Effects, bank: Bank, chosen: Chosen) -> Report:
    """The report on these records."""
    records = [record for record in found.records if chosen.takes(record)]
    real = [record for record in records if not record.rehearsed]
    shown = records if chosen.rehearsed else real
    asked = [record for record in real if record.what == "asked"]
    scripted = [record for record in records if record.rehearsed and record.what == "asked"]
    served = [
        one
        for one in bank.entries
        if chosen.entry in (None, one.id)
        and chosen.group in (None, one.group.value)
        and (chosen.kind is None or chosen.kind in {kind.value for kind in one.decision_kinds})
        and one.status != "deprecated"
    ]
    tested = {record.entry for record in asked}
    here = [record for record in asked if record.entry is not None and bank.find(record.entry)]
    absent = {record.entry for record in shown if record.entry is not None and not bank.find(record.entry)}
    named = bank.find(chosen.entry) if chosen.entry is not None else None
    own = [record for record in real if record.what == "own_words"]
    return Report(
        bank=bank.version,
        measured_by=MEASURED_BY,
        sessions=found.sessions,
        measured=found.measured,
        gone=found.gone,
        askings=_messages(here),
        elsewhere=_messages(asked) - _messages(here),
        not_here=sorted(absent),
        rehearsed_askings=_messages(scripted),
        rehearsed_sessions=len({record.session for record in scripted}),
        rehearsed_shown=chosen.rehearsed,
        own_words=len(own),
        asking=sum(record.asks for record in own),
        program=sum(record.what == "program" for record in real),
        matched=dict(Counter(record.kind or "" for record in real if record.what == "matched").most_common()),
        entries=by_entry(shown, Wordings(bank).hashes),
        groups=[] if chosen.entry is not None else by_group(shown),
        untested=[one.id for one in served if one.id not in tested],
        of=len(served),
        deprecated=named.id if named is not None and named.status == "deprecated" else "",
    )


def _messages(records: Sequence[Record]) -> int:
    return len({(record.session, record.event) for record in records})
