"""What the ranker knows of a moment, worked out once for all entries."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from bank.bank import Bank
from bank.params import holds, several
from bank.question import Architecture, Group, Question
from bank.ranking.bottlenecks import bottlenecks
from bank.ranking.devices import device_family, device_name
from bank.ranking.made import MEASURES
from bank.ranking.spread import Spread, moved_baseline, spread_of, unmoved
from bank.words import begun_pattern, content_words, vocabulary
from sessions.events import AgentText, QuestionAsked, Thinking
from sessions.figures import prints_figure
from sessions.seen import Seen
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind, GapClass, Layer

RECENT_VISITS = 10
RECENT_QUESTIONS = 3
RECENT_TEXTS = 8
REMARK = 45  # characters up to which a text says that something is being done, not what was found
SPOKEN = 2
"""How many layers the last messages can be about, and how many words on one make it so."""
LONG = 5  # letters of a word that says what a text is about
_READ_AT_MOST = 4_000  # characters at the end of one message


_LINES_AT_MOST, _LONGEST_LINE = 2_000, 400
_FIGURE = re.compile(r"\d")
_TOLD = re.compile(r"\d+\.\d+|\d{2,}")
"""A figure that is told from others by its digits."""
_OPEN = re.compile(r"\b(?:not|never|todo|should|will|would|plan|need|next)\b|n't|\?", re.IGNORECASE)
_OWN_BASELINE = re.compile(r"(?:the )?(?:start|first|seed|reference|definition|candidate)\b", re.IGNORECASE)
"""Baselines that are no implementation by others."""


@dataclass(frozen=True)
class RankingFacts:
    """A decision kind, the state it was seen in, and the bank it is asked of.

    `given`: facts from outside of the session, by the name of the parameter they fill.
    """

    bank: Bank
    state: SessionState
    kind: DecisionKind
    given: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def family(self) -> Architecture | None:
        """The family of the device, as far as it is told."""
        return device_family(self.state, self.given)

    @cached_property
    def upstream(self) -> bool:
        """An implementation by others was measured here: the newest evaluations are ratios over one."""
        named = (seen.event.baseline for seen in reversed(self.state.evaluations) if seen.event.baseline)
        return any(not _OWN_BASELINE.match(name) for name in list(named)[:RECENT_VISITS])

    @cached_property
    def bottlenecks(self) -> Mapping[Group, str]:
        """What the newest profiles name, by the group that asks about it."""
        return bottlenecks(self.state)

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """What fills a question's parameters: what was given, and what the scoreboard shows."""
        named = {"scenarios": several(self.spread.lagging), "arch": device_name(self.state) or ""}
        return {**named, **{name: fact for name, fact in self.given.items() if fact}}

    @cached_property
    def figures_since(self) -> tuple[frozenset[str], ...]:
        """The content words of each line with a figure that was measured since the last edit.

        Lines that a measuring call printed, and lines in which the main agent tells one of its figures; a
        plan, or what is said not to be so, is none.
        """
        newer = takewhile(lambda run: run.index > self.last_edit, reversed(self.state.tools))
        printed = [
            run.result.output[-_READ_AT_MOST:]
            for run in newer
            if run.result is not None and (run.activity in MEASURES or prints_figure(run.result.output))
        ]
        told = {figure for output in printed for figure in _TOLD.findall(output)}
        lines = [line for output in printed for line in output.splitlines() if _FIGURE.search(line)]
        for seen in takewhile(lambda seen: seen.index > self.last_edit, reversed(self.state.texts)):
            if not seen.event.agent:
                said = seen.event.text[-_READ_AT_MOST:].splitlines()
                lines += [
                    line for line in said if told.intersection(_TOLD.findall(line)) and not _OPEN.search(line)
                ]
        return tuple(
            frozenset(content_words(line[:_LONGEST_LINE]).split()) for line in lines[:_LINES_AT_MOST]
        )

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
        """What the main agent said and thought last, lower case; remarks of a few words left out."""
        recent: list[Seen[AgentText] | Seen[Thinking]] = [
            *self.state.texts[-4 * RECENT_TEXTS :],
            *self.state.thoughts[-4 * RECENT_TEXTS :],
        ]
        recent.sort(key=lambda seen: seen.index)
        own = [seen.event.text for seen in recent if not seen.event.agent]
        texts = ([text for text in own if len(text) > REMARK] or own)[-RECENT_TEXTS:]
        if self.kind is DecisionKind.SCOPE:  # the agent has hardly spoken: what it was asked counts
            texts += [seen.event.text for seen in self.state.human[-1:]]
        return "\n".join(text[-_READ_AT_MOST:] for text in texts).lower()

    @cached_property
    def subjects(self) -> Mapping[Group, list[str]]:
        """The words of each group's subject in those messages, as often as they stand there."""
        return {group: begun_pattern("subjects", group.value).findall(self.recent_words) for group in Group}

    @cached_property
    def holds(self) -> str | None:
        """That everything measured is as it should be, in words; None where it is not, or not known."""
        goal, newest = self.state.goal, self.state.latest
        if goal is not None and goal.met is not None:
            return "the goal is met" if goal.met else None
        if newest is None or not 0 < newest.event.total == newest.event.correct or self.spread.worst < 1:
            return None
        return f"all {newest.event.total} scenarios are correct and none is behind"

    @cached_property
    def unmoved(self) -> tuple[str, ...]:
        """The lagging scenarios that stood still while code was edited."""
        return unmoved(self.state, self.spread.lagging)

    @cached_property
    def moved_baseline(self) -> str | None:
        """That the newest ratio changed and the candidate's time did not, in words."""
        return moved_baseline(self.state)

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
            return _short((*goal.unmet, *goal.first_failing)[:2])
        newest = self.state.latest.event if self.state.latest else None
        if goal is None and newest is not None and newest.unmet:
            return _short(newest.unmet[:2])
        return None

    @cached_property
    def _asked(self) -> tuple[tuple[QuestionAsked, tuple[Question, ...]], ...]:
        """Every message so far that asked something, with the entries whose words stand in it.

        A message without an entry may hold several: the agent was given a group to choose from.
        """
        messages = [seen.event for seen in self.state.asked]
        return tuple(
            (
                asked,
                ()
                if asked.entry
                else tuple(entry for entry in self.bank.entries if holds(asked.text, entry.question)),
            )
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
    def asked_groups(self) -> Counter[Group]:
        """How many questions of each group were asked so far."""
        asked = (self.bank.find(entry) for entry in self.asked_ids)
        return Counter(entry.group for entry in asked if entry is not None)

    @cached_property
    def dismissed_ids(self) -> frozenset[str]:
        """Entries a person put aside."""
        return frozenset(seen.event.entry for seen in self.state.dismissed if seen.event.entry)

    @cached_property
    def dismissed_groups(self) -> frozenset[Group]:
        """Their groups."""
        found = (self.bank.find(entry) for entry in self.dismissed_ids)
        return frozenset(entry.group for entry in found if entry is not None)


def _short(parts: Sequence[str], limit: int = 80) -> str:
    """At most `limit` characters, cut between words."""
    text = ", ".join(parts)
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"


_GAP_LAYERS = {
    GapClass.HOST: Layer.HOST,
    GapClass.ROUTING: Layer.ROUTING,
    GapClass.KERNEL: Layer.MEMORY,  # inside the kernel, past its own arithmetic
}
