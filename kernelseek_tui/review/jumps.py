"""Each large gain traced back to the message before it, its act and category, and the layers around it.

The rule: of the comparable series a point that is at least `LARGE` times the best before it, and beats it
beyond noise, is a large gain; the last message to the main agent before it is what it is traced to. That is
the order in time, not a cause: how many measurements and events lie between stands beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kernelseek_tui.review.curve import Point, Series
from kernelseek_tui.review.messages import Message
from kernelseek_tui.review.visits import most_visited
from sessions.state import SessionState
from sessions.vocabulary import Act, Layer

LARGE = 1.10
"""The smallest published gain that is traced to a question is 1.02 to 1.13, a factor of 1.108 (the
second case of arXiv 2611.03517); below 1.10 a step is not called large."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A large gain from point `before` to point `after`.

    `message` is the last one before it, absent where there was none; `opening` says that it is the task the
    session began with. `events` and `measurements` lie between the message (else `before`) and the gain.
    `layer_before` is the layer most visited between the message before that one and the message,
    `layer_after` the one most visited from the message to the gain, and `moved_to` the layers first visited
    there.
    """

    before: Point
    after: Point
    factor: float
    message: Message | None
    opening: bool
    events: int
    measurements: int
    layer_before: Layer | None
    layer_after: Layer | None
    moved_to: tuple[Layer, ...]

    @property
    def after_question(self) -> bool:
        """The message it is traced to is a question."""
        return self.message is not None and self.message.act is Act.QUESTION

    @property
    def across_layers(self) -> bool:
        """The work went to another layer between the message and the gain."""
        if self.layer_before is None or self.layer_after is None:
            return bool(self.moved_to)
        return self.layer_after is not self.layer_before or bool(self.moved_to)


def jumps(state: SessionState, series: Series, said: Sequence[Message]) -> list[Jump]:
    """The large gains of a series, oldest first."""
    found = []
    best: Point | None = None
    for place, point in enumerate(series.points):
        if not point.scores:
            continue
        value, was = point.value or 0.0, best.value if best is not None else None
        if best is not None and was and value >= LARGE * was and point.beats(best):
            found.append(_jump(state, series, place, best, value / was, said))
        if best is None or value > (best.value or 0.0):
            best = point
    return found


def _jump(
    state: SessionState, series: Series, place: int, best: Point, factor: float, said: Sequence[Message]
) -> Jump:
    point = series.points[place]
    earlier = [message for message in said if message.index < point.index]
    message = earlier[-1] if earlier else None
    start = message.index if message is not None else best.index
    since = earlier[-2].index if len(earlier) > 1 else -1
    before = [visit for visit in state.visits if visit.index < start]
    after = [visit for visit in state.visits if start <= visit.index < point.index]
    known = {visit.layer for visit in before}
    return Jump(
        best,
        point,
        factor,
        message,
        message is not None and message.first,
        point.index - start - 1,
        sum(start < one.index < point.index for one in series.points),
        most_visited([visit for visit in before if visit.index >= since]),
        most_visited(after),
        tuple(layer for layer in dict.fromkeys(visit.layer for visit in after) if layer not in known),
    )
