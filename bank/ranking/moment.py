"""What the ranker knows of a moment, worked out once for all entries."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from bank.bank import Bank
from bank.params import fill
from bank.question import Group, Question
from bank.spread import Spread, spread_of
from bank.words import begun_pattern, content_words, vocabulary
from sessions.events import QuestionAsked
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind, GapClass, Layer

RECENT_VISITS = 10
RECENT_QUESTIONS = 3
RECENT_TEXTS = 6
SPOKEN = 2
"""How many layers the last messages can be about, and how many words on one make it so."""
LONG = 5  # letters of a word that says what a text is about
_READ_AT_MOST = 4_000  # characters at the end of one message


@dataclass(frozen=True)
class RankingFacts:
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
    def most_work(self) -> tuple[Layer, int]:
        """The layer that most calls were on, or edits of the candidate, and how many."""
        steps = dict(self.layers)
        steps[Layer.KERNEL] = max(steps.get(Layer.KERNEL, 0), len(self.state.candidate_edits))
        return max(steps.items(), key=lambda item: item[1])

    @cached_property
    def measured(self) -> bool:
        """Something was evaluated, a benchmark ran, or a command printed measured figures."""
        return self.state.measured

    @cached_property
    def unrecognised(self) -> int:
        """Tool calls of which the layer map can say nothing."""
        return sum(run.activity is Activity.OTHER for run in self.state.tools)

    @cached_property
    def recent_words(self) -> str:
        """What the main agent said last, lower case."""
        texts = [seen.event.text for seen in self.state.texts[-4 * RECENT_TEXTS :] if not seen.event.agent]
        texts = texts[-RECENT_TEXTS:]
        if self.kind is DecisionKind.SCOPE:  # the agent has hardly spoken: what it was asked counts
            texts += [seen.event.text for seen in self.state.human[-1:]]
        return "\n".join(text[-_READ_AT_MOST:] for text in texts).lower()

    @cached_property
    def spoken(self) -> Mapping[Layer, tuple[str, ...]]:
        """The layers that the agent's last messages are most about, with its words for them."""
        found: dict[Layer, list[str]] = {}
        for layer in Layer:
            if layer.value in vocabulary("layers"):
                found[layer] = begun_pattern("layers", layer.value).findall(self.recent_words)
        least = 1 if self.kind is DecisionKind.SCOPE else SPOKEN  # at an opening little was said
        several = [layer for layer, words in found.items() if len(set(words)) >= least]
        most = sorted(several, key=lambda layer: -len(found[layer]))[:SPOKEN]
        return {layer: tuple(dict.fromkeys(found[layer])) for layer in most}

    @cached_property
    def recent_content(self) -> frozenset[str]:
        """The words of those messages that say what they are about."""
        return frozenset(word for word in content_words(self.recent_words).split() if len(word) >= LONG)

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
        newest = self.state.latest.event if self.state.latest else None
        if goal is None and newest is not None and newest.unmet:
            return ", ".join(newest.unmet[:2])[:80]
        return None

    @cached_property
    def _asked(self) -> tuple[tuple[QuestionAsked, tuple[Question, ...]], ...]:
        """Every message so far that asked something, with the entries whose words stand in it.

        A message without an entry may hold several: the agent was given a group to choose from.
        """
        texts = [(fill(entry.question, {}), entry) for entry in self.bank.entries]
        messages = [seen.event for seen in self.state.asked]
        return tuple(
            (asked, () if asked.entry else tuple(entry for text, entry in texts if text in asked.text))
            for asked in messages
        )

    @cached_property
    def asked_texts(self) -> tuple[str, ...]:
        """Content words of every question asked so far."""
        return tuple(
            content_words(text)
            for asked, held in self._asked
            for text in ([entry.question for entry in held] or [asked.text])
        )

    @cached_property
    def asked_ids(self) -> frozenset[str]:
        """Entries asked so far."""
        named = {asked.entry for asked, _ in self._asked if asked.entry}
        return frozenset(named.union(entry.id for _, held in self._asked for entry in held))

    @cached_property
    def recently_asked(self) -> tuple[Question, ...]:
        """Entries among the last few questions."""
        found: list[Question] = []
        for asked, held in self._asked[-RECENT_QUESTIONS:]:
            named = self.bank.find(asked.entry) if asked.entry else None
            found += [named] if named else held
        return tuple(found)

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
