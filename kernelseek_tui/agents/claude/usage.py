"""Counting what a Claude Code session uses: every reply once, with its final numbers.

A stream tells a reply's start value with each of its blocks and the final ones in `message_delta`. What no
reply told (subagents, compactions, broken replies) is in the `result` of the turn, with the money.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.readers.base import count_of, mapping_of, money_of, name_of
from sessions.readers.claude import Counts, counts_of

_MODEL_USAGE = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
NOTHING: Counts = (0, 0, 0, 0)


@dataclass(slots=True)
class Reply:
    """A reply that is being written, by the subagent of the call `parent` or (None) by the agent."""

    id: str
    parent: str | None
    counts: Counts


class Meter:
    """What has been counted since the last `result`, and what the session cost so far.

    `resumed`: the client's totals begin with what earlier runs of the session cost, which is not ours.
    """

    def __init__(self, resumed: bool = False) -> None:
        self.cost_usd = 0.0
        self._replies: dict[str | None, Reply] = {}
        self._counted: Counts = NOTHING
        self._total: float | None = None if resumed else 0.0

    def has(self, reply: str | None) -> bool:
        """The reply of that id is being written."""
        return any(open_.id == reply for open_ in self._replies.values())

    def start(self, parent: str | None, message: object) -> None:
        """A `message_start`: a reply with the counts it starts with."""
        name = name_of(mapping_of(message).get("id"))
        if name:
            counts = counts_of(mapping_of(mapping_of(message).get("usage")))
            self._replies[parent] = Reply(name, parent, counts)

    def update(self, parent: str | None, usage: object) -> None:
        """A `message_delta`: totals of the reply so far, for the fields it has."""
        if reply := self._replies.get(parent):
            reply.counts = tuple(map(max, counts_of(mapping_of(usage)), reply.counts))  # type: ignore[assignment]

    def stop(self, parent: str | None) -> list[Reply]:
        """A `message_stop`: the reply with all it will have, if it had a start."""
        reply = self._replies.pop(parent, None)
        return [reply] if reply else []

    def stop_all(self) -> list[Reply]:
        """The replies that broke off."""
        replies, self._replies = list(self._replies.values()), {}
        return replies

    def count(self, counts: Counts) -> None:
        """A usage event was made of these."""
        self._counted = _add(self._counted, counts)

    def settle(self, entry: Mapping[str, Any]) -> tuple[Counts, float | None]:
        """The tokens that no event told yet and the money of the turn that a `result` ends.

        None for money that the result does not tell.
        """
        since, told = entry.get("model_usage_since_last_result"), entry.get("total_cost_usd")
        total = money_of(told)
        cost: float | None = None
        if isinstance(since, dict):  # every model and subagent since the last result
            spent = NOTHING
            for one in map(mapping_of, since.values()):
                spent = _add(spent, _numbers(one))
                cost = (cost or 0.0) + money_of(one.get("costUSD"))
        else:
            spent = counts_of(mapping_of(entry.get("usage")))
            if self._total is not None:
                cost = max(0.0, total - self._total)
        if told is not None:
            self._total = total
        rest = tuple(max(0, now - then) for now, then in zip(spent, self._counted, strict=True))
        self._counted = NOTHING
        self.cost_usd += cost or 0.0
        return rest, cost or None  # type: ignore[return-value]  # four numbers from four numbers


def context_window(entry: Mapping[str, Any], model: str | None) -> int | None:
    """The tokens that fit into the model's context, as a `result` tells it."""
    used = mapping_of(mapping_of(entry.get("modelUsage")).get(model or ""))
    return count_of(used.get("contextWindow")) or None


def _add(one: Counts, other: Counts) -> Counts:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def _numbers(usage: Mapping[str, Any]) -> Counts:
    one, two, three, four = (count_of(usage.get(name)) for name in _MODEL_USAGE)
    return one, two, three, four
