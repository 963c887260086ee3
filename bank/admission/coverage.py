"""Q20: what a complete bank has of everything, and how that is counted.

The figures are goals that the shipped bank set itself; nobody has shown that a bank needs them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from bank.admission.context import Context
from bank.admission.finding import LintFinding
from bank.question import Architecture, Group, Question
from sessions.vocabulary import DecisionKind, Layer

CORE, NEEDS_UPSTREAM, PER_ARCHITECTURE, PER_FAMILY, MINED = 101, 5, 18, 3, 72
GROUP_LEAST, GROUP_MOST = 8, 12
PER_KIND, GROUPS_PER_KIND, PER_LAYER = 10, 4, 5


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """A group's entries; one that needs an upstream and is for one family counts in both columns."""

    core: int
    needs_upstream: int
    per_architecture: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many entries a bank has of everything, deprecated ones left out.

    An entry is about the layers that it moves to and those that its outcomes lead to. `from` does not count:
    it says where an agent is assumed to be, nearly always the kernel. `mined` counts those with a source.
    """

    entries: int
    core: int
    needs_upstream: int
    per_architecture: int
    mined: int
    groups: dict[str, GroupCounts]
    decision_kinds: dict[str, int]
    groups_of_kinds: dict[str, int]
    layers: dict[str, int]
    families: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """The counts as JSON values."""
        return asdict(self)


def layers_of(entry: Question) -> set[Layer]:
    """The layers an entry is about: the one it moves to, and those its outcomes lead to."""
    return {entry.moves.to} | {outcome.next for outcome in entry.outcomes if outcome.next}


def count(entries: Sequence[Question]) -> Counts:
    """Count a bank."""
    live = [entry for entry in entries if entry.status != "deprecated"]

    def groups(members: list[Question]) -> GroupCounts:
        return GroupCounts(
            sum(entry.core for entry in members),
            sum(entry.needs_upstream for entry in members),
            sum(bool(entry.architectures) for entry in members),
        )

    whole = groups(live)
    return Counts(
        entries=len(live),
        core=whole.core,
        needs_upstream=whole.needs_upstream,
        per_architecture=whole.per_architecture,
        mined=sum(entry.provenance.kind == "mined" and bool(entry.sources) for entry in live),
        groups={group.value: groups([e for e in live if e.group == group]) for group in Group},
        decision_kinds={kind.value: sum(kind in e.decision_kinds for e in live) for kind in DecisionKind},
        groups_of_kinds={
            kind.value: len({e.group for e in live if kind in e.decision_kinds}) for kind in DecisionKind
        },
        layers={layer.value: sum(layer in layers_of(entry) for entry in live) for layer in Layer},
        families={family.value: sum(family in e.architectures for e in live) for family in Architecture},
    )


def coverage(entries: Sequence[Question], context: Context) -> Iterator[LintFinding]:
    """Q20: a bank that claims to be complete has enough of everything."""
    if not context.complete:
        return
    counts = count(entries)
    for what, number, least in (
        ("core", counts.core, CORE),
        ("needs_upstream", counts.needs_upstream, NEEDS_UPSTREAM),
        ("per_architecture", counts.per_architecture, PER_ARCHITECTURE),
        ("mined with a source", counts.mined, MINED),
    ):
        yield from _few(what, number, least)
    for group, members in counts.groups.items():
        yield from _few(group, members.core, GROUP_LEAST, "core entries")
        if members.core > GROUP_MOST:
            message = f"{group}: {members.core} core entries, more than {GROUP_MOST}"
            yield LintFinding("", "Q20", "warning", group, message)
    for kind, number in counts.decision_kinds.items():
        yield from _few(kind, number, PER_KIND)
        yield from _few(kind, counts.groups_of_kinds[kind], GROUPS_PER_KIND, "groups")
    for layer, number in counts.layers.items():
        yield from _few(f"layer {layer}", number, PER_LAYER)
    for family, number in counts.families.items():
        yield from _few(f"family {family}", number, PER_FAMILY)


def _few(what: str, number: int, least: int, noun: str = "entries") -> Iterator[LintFinding]:
    if number < least:
        yield LintFinding("", "Q20", "warning", what, f"{what}: {number} {noun}, fewer than {least}")
