"""What the ranker knows of a moment, worked out once for all entries."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from bank.bank import Bank
from bank.question import Group, Question
from bank.spread import Spread, spread_of
from bank.words import content_words
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind, GapClass, Layer

RECENT_VISITS = 10
RECENT_QUESTIONS = 3


@dataclass(frozen=True)
class Moment:
    """A decision kind, the state it was seen in, and the bank it is asked of."""

    bank: Bank
    state: SessionState
    kind: DecisionKind

    @cached_property
    def layers(self) -> Mapping[Layer, int]:
        """Visits so far."""
        return self.state.layers

    @cached_property
    def recent_layers(self) -> frozenset[Layer]:
        """Layers of the last few tool calls that touched any."""
        return frozenset(visit.layer for visit in self.state.visits[-RECENT_VISITS:])

    @cached_property
    def last_edit(self) -> int:
        """Index of the last edit of the candidate (or of a kernel, where no candidate is named), or -1."""
        edits = self.state.candidate_edits
        kernel = next(
            (run.index for run in reversed(self.state.tools) if run.activity is Activity.KERNEL_EDIT), -1
        )
        return max(kernel, edits[-1].index if edits else -1)

    @cached_property
    def done_since(self) -> frozenset[Activity]:
        """What tool calls did since that edit."""
        newer = takewhile(lambda run: run.index > self.last_edit, reversed(self.state.tools))
        return frozenset(run.activity for run in newer)

    @cached_property
    def spread(self) -> Spread:
        """The newest scoreboard."""
        return spread_of(self.state)

    @cached_property
    def gap_layers(self) -> Mapping[Layer, int]:
        """How many scenarios are recorded as held back by each layer."""
        counts: dict[Layer, int] = {}
        for gap in self.state.gaps.values():
            layer = _GAP_LAYERS[gap]
            counts[layer] = counts.get(layer, 0) + 1
        return counts

    @cached_property
    def unmet(self) -> str | None:
        """The clauses or scenarios that fail the goal, in a few words; None where no unmet goal is known."""
        goal = self.state.goal
        if goal is not None and goal.met is False:
            return ", ".join((*goal.unmet, *goal.first_failing)[:2])[:80]
        newest = self.state.evaluations[-1].event if self.state.evaluations else None
        if goal is None and newest is not None and newest.unmet:
            return ", ".join(newest.unmet[:2])[:80]
        return None

    @cached_property
    def asked_texts(self) -> tuple[str, ...]:
        """Content words of every question asked so far."""
        return tuple(content_words(seen.event.text) for seen in self.state.asked)

    @cached_property
    def asked_ids(self) -> frozenset[str]:
        """Entries asked so far."""
        return frozenset(seen.event.entry for seen in self.state.asked if seen.event.entry)

    @cached_property
    def recently_asked(self) -> tuple[Question, ...]:
        """Entries among the last few questions."""
        recent = (seen.event.entry for seen in self.state.asked[-RECENT_QUESTIONS:])
        found = (self.bank.find(entry) for entry in recent if entry)
        return tuple(entry for entry in found if entry is not None)

    @cached_property
    def dismissed_ids(self) -> frozenset[str]:
        """Entries a person put aside."""
        return frozenset(seen.event.entry for seen in self.state.dismissed if seen.event.entry)

    @cached_property
    def dismissed_groups(self) -> frozenset[Group]:
        """Their groups."""
        found = (self.bank.find(entry) for entry in self.dismissed_ids)
        return frozenset(entry.group for entry in found if entry is not None)


_GAP_LAYERS = {
    GapClass.HOST: Layer.HOST,
    GapClass.ROUTING: Layer.ROUTING,
    GapClass.KERNEL: Layer.MEMORY,  # inside the kernel, past its own arithmetic
}
