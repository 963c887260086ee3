"""Transcripts as one text an entry, for baselines that look at words only."""

from dataclasses import dataclass
from pathlib import Path

from sessions import events as ev
from sessions.transcript import TranscriptStream

KEPT = 6_000  # characters of one entry


@dataclass(frozen=True, slots=True)
class Documents:
    """What the main agent said, thought or measured, by 0-based entry; entries without words are left out."""

    entries: int
    texts: dict[int, str]


def documents_of(path: Path) -> Documents:
    """Read a transcript. Raises `RefusedInput` for a file that is none."""
    stream = TranscriptStream(path)
    parts: dict[int, list[str]] = {}
    for event in stream:
        if event.agent is not None or event.source is None:
            continue
        text = _words(event)
        if text:
            parts.setdefault(event.source.line, []).append(text[:KEPT])
    return Documents(stream.accounts[0].entries, {at: "\n".join(found)[:KEPT] for at, found in parts.items()})


def _words(event: ev.AnyEvent) -> str:
    if isinstance(event, ev.AgentText | ev.Thinking):
        return event.text
    if isinstance(event, ev.Evaluation):
        return f"{event.status} {event.detail}"
    return event.text if isinstance(event, ev.Note) and event.author == "log" else ""
