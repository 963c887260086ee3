"""Human attention: how many messages a person wrote, and how long a flag waited for one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from kernelseek_tui.review.messages import Message
from kernelseek_tui.review.tally import utc


@dataclass(frozen=True, slots=True)
class Flag:
    """A decision point: the event after which it stood there, and when."""

    index: int
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attention:
    """`messages` a person wrote, of `words` words, the task not counted.

    `waits` are seconds from the earliest flag since the message before to a person's message, one for each
    such message whose times are known. `unanswered` flags had no message after them.
    """

    messages: int
    words: int
    waits: tuple[float, ...]
    unanswered: int

    @property
    def median_wait(self) -> float | None:
        """Absent where no flag with a time was followed by a person's message."""
        return median(self.waits) if self.waits else None


def attention(flags: Iterable[Flag], said: Sequence[Message]) -> Attention:
    """What a session asked of a person. A questioner's own messages end a wait and count for nobody."""
    waiting = sorted(flags, key=lambda flag: flag.index)
    waits: list[float] = []
    words = written = place = 0
    for message in said:
        begun = place
        while place < len(waiting) and waiting[place].index < message.index:
            place += 1
        if message.by != "human" or message.first:
            continue
        written += 1
        words += len(message.text.split())
        flagged = utc(waiting[begun].time) if begun < place else None
        answered = utc(message.time)
        if flagged is not None and answered is not None and answered >= flagged:
            waits.append((answered - flagged).total_seconds())
    return Attention(written, words, tuple(waits), len(waiting) - place)
