"""Where turns begin: a turn is one reply of the model with the tools it called (as `SessionState` counts)."""

from bisect import bisect_left, bisect_right

from sessions import events as ev


class Turns:
    """Turn starts of a growing list of events. `stops` has the messages to the agent too."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        self._count = 0
        self._messages: set[str] = set()

    def take(self, event: ev.AnyEvent) -> None:
        """Take in the next event. A subagent's events belong to the turn that started it."""
        index = self._count
        self._count += 1
        if event.agent is not None:
            return
        if isinstance(event, ev.HumanMessage | ev.QuestionAsked):
            self.stops.append(index)
        elif isinstance(event, ev.AgentText | ev.Thinking | ev.ToolCall):
            if event.message is not None and event.message in self._messages:
                return
            if event.message is not None:
                self._messages.add(event.message)
            self.starts.append(index)
            self.stops.append(index)

    def number(self, index: int) -> int:
        """The number of the turn that `index` is in, from 1; 0 before the first."""
        return bisect_right(self.starts, index)

    def before(self, index: int) -> int | None:
        """The last stop before `index`."""
        position = bisect_left(self.stops, index)
        return self.stops[position - 1] if position else None

    def after(self, index: int) -> int | None:
        """The next stop."""
        position = bisect_right(self.stops, index)
        return self.stops[position] if position < len(self.stops) else None
