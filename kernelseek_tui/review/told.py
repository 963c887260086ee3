"""Where a number is told: the first message that gives a reading, found without looking through them all."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from kernelseek_tui.contracts.numbers import CLOSE, numbers
from sessions import events as ev
from sessions.seen import Seen

_STEP = math.log1p(2 * CLOSE)


class Numbers:
    """The numbers of a session's messages by their size. Says the same as `gives_one_of` for each message."""

    def __init__(self) -> None:
        self.texts: list[Seen[ev.AgentText]] = []
        self._by_size: dict[int, list[tuple[int, float]]] = {}

    def take(self, text: Seen[ev.AgentText]) -> None:
        """Take in the next message of the main agent."""
        place = len(self.texts)
        self.texts.append(text)
        for number in numbers(text.event.text):
            if 0 < number < math.inf:
                self._by_size.setdefault(_size(number), []).append((place, number))

    def first(self, readings: Iterable[float], after: int) -> Seen[ev.AgentText] | None:
        """The first message behind the event `after` that gives one of `readings`, rounded or not."""
        start = bisect_left(self.texts, after + 1, key=_index)
        best = len(self.texts)
        for reading in readings:
            if not 0 < reading < math.inf:
                continue
            for size in range(_size(reading * (1 - CLOSE)), _size(reading * (1 + CLOSE)) + 1):
                told = self._by_size.get(size, ())
                for at in range(bisect_left(told, (start, 0.0)), len(told)):
                    place, number = told[at]
                    if place >= best:
                        break
                    if abs(number - reading) <= CLOSE * reading:
                        best = place
                        break
        return self.texts[best] if best < len(self.texts) else None


def _size(number: float) -> int:
    return math.floor(math.log(number) / _STEP)


def _index(item: Any) -> int:
    index: int = item.index
    return index
