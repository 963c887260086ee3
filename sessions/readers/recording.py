"""Both sides of a `claude -p` session, as lines `{"t": seconds, "dir": "in" | "out", "msg": event}`."""

from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, text_of, type_name
from sessions.readers.formats import Format
from sessions.readers.stream_json import StreamJsonReader, is_stream


class RecordingReader(StreamJsonReader):
    """Reads a recording. What was written to the client is what a person said.

    The client echoes it back later; an echo is known by its uuid, or where the writer gave none by its
    text, and makes no second message.
    """

    def begin(self) -> None:
        """Nothing was read yet."""
        super().begin()
        self._echoes: list[str] = []

    def entry(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent] | list[ev.AnyEvent]:
        """The events of one recorded line."""
        message = entry.get("msg")
        if not isinstance(message, dict):
            raise Unknown("(no msg)")
        match entry.get("dir"):
            case "in":
                return list(self._written(message))
            case "out":
                return list(super().entry(message))
            case "exit":
                ended = f"The client ended with exit code {text_of(message.get('rc'))}."
                return [ev.SessionEnded(**self.head(), reason=ended)]
            case other:
                raise Unknown(f"{text_of(other)[:20]}/{type_name(message)}")

    def user(self, entry: Any, mid_turn: bool = False) -> Iterator[ev.AnyEvent]:
        """As in the stream, less the echoes of what was written."""
        for event in super().user(entry, mid_turn):
            if isinstance(event, ev.HumanMessage) and event.text in self._echoes:
                self._echoes.remove(event.text)
            else:
                yield event

    def _written(self, message: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        if message.get("type") != "user":
            raise Unknown(f"in/{type_name(message)}")
        for event in super().user(message, self._turn_open):
            yield event
            if isinstance(event, ev.HumanMessage):
                uuid = message.get("uuid")
                if isinstance(uuid, str):
                    self.seen.add(uuid)
                else:
                    self._echoes.append(event.text)
        self._turn_open = True


def _row(value: Mapping[str, Any]) -> bool:
    message = value.get("msg")
    if not (value.keys() >= {"t", "dir", "msg"} and isinstance(message, dict)):
        return False
    return is_stream(message) or message.get("type") == "user" or value["dir"] == "exit"


FORMAT = Format(
    "claude-stream-recording",
    "a recording of both sides of `claude -p`",
    lambda path, candidate: RecordingReader(path.name, candidate=candidate),
    row=_row,
)
