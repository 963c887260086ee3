"""Finding text in events, without an index: a scan of 100,000 entries takes a fraction of a second."""

from collections.abc import Callable, Sequence

from sessions import events as ev


def words_of(event: ev.AnyEvent) -> str:
    """All the text of an event a reader would look for."""
    match event:
        case ev.HumanMessage() | ev.AgentText() | ev.Thinking() | ev.Note():
            return event.text
        case ev.ToolCall() | ev.PermissionRequested():
            return f"{event.tool} {' '.join(str(value) for value in event.input.values())}"
        case ev.ToolResult():
            return event.output
        case ev.Edit():
            return f"{event.path}\n{event.diff}"
        case ev.Evaluation():
            rows = " ".join(f"{item.id} {item.status} {item.detail}" for item in event.scenarios)
            return f"evaluation {event.status} {event.baseline} {event.detail} {rows}"
        case ev.DecisionPoint():
            quotes = " ".join(item.quote for item in event.evidence)
            return f"{event.decision.replace('_', ' ')} {event.reason} {quotes}"
        case ev.QuestionAsked():
            return f"{event.text} {event.entry or ''}"
        case ev.SuggestionsShown():
            return " ".join(f"{item.entry} {item.question}" for item in event.suggestions)
        case ev.PermissionAnswered():
            return f"{event.answer} {event.message}"
        case ev.Claim():
            return event.quote
        case ev.GapClassified():
            return f"{event.gap} {event.measured} {' '.join(event.scenarios)}"
        case ev.ReaderProblem():
            return event.what
        case ev.SessionStarted():
            return event.task or ""
        case ev.SessionEnded():
            return event.reason
        case ev.GoalVerdict():
            return f"{event.reason} {' '.join(event.unmet)}"
        case ev.Subagent():
            return event.description
    return ""


def matcher(pattern: str) -> Callable[[str], bool]:
    """Smart case: a pattern without capitals matches either case."""
    if pattern == pattern.lower():
        return lambda text: pattern in text.lower()
    return lambda text: pattern in text


def find(events: Sequence[ev.AnyEvent], pattern: str, start: int, step: int, known: int) -> int | None:
    """The next event below `known` that holds `pattern`, from `start` in direction `step`, going round."""
    if not pattern or known <= 0:
        return None
    matches = matcher(pattern)
    index = start
    for _ in range(known):
        index = (index + step) % known
        if matches(words_of(events[index])):
            return index
    return None
