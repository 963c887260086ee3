"""What `codex exec --json` prints, one event a line."""

from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of, type_name
from sessions.readers.codex_items import ItemReader
from sessions.readers.formats import Format


class CodexExecReader(ItemReader):
    """Reads a recorded stream. The prompt is not in it, and nothing has a time.

    Items are numbered from 0 again when the thread is resumed in the same file. A turn's `usage` is the
    thread's so far.
    """

    def begin(self) -> None:
        """Nothing was read yet."""
        self._thread: str | None = None
        self._runs = 0
        self._last_text = ""

    def entry(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one line."""
        match entry.get("type"):
            case "thread.started":
                yield from self._started(entry)
            case "turn.started":
                self.turn_started()
            case "item.started" | "item.updated":
                yield from self.item(entry.get("item"), done=False)
            case "item.completed":
                yield from self.item(entry.get("item"), done=True)
            case "turn.completed":
                yield from self.used(mapping_of(entry.get("usage")))
                yield from self.turn_over("completed")
            case "turn.failed":
                yield from self.turn_over("failed", _message(entry.get("error")))
            case "error":
                yield self.note(_message(entry))
            case _:
                raise Unknown(type_name(entry))

    def said(self, text: str, source: str) -> Iterator[ev.AnyEvent]:
        """As in the base. Two messages with no call between them are two replies: nothing else tells."""
        if self.reply() == self._last_text:
            self.reply_over()
        self._last_text = self.reply()
        yield from super().said(text, source)

    def name_of_call(self, item: Mapping[str, Any]) -> str:
        """The item's number, with that of the run where there are several."""
        number = text_of(item.get("id"))
        return f"{number}-{self._runs}" if self._runs > 1 else number

    def _started(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        self._runs += 1
        thread = name_of(entry.get("thread_id"))
        if thread == self._thread:
            return  # the same thread was resumed
        if self._thread is not None:
            self._counted = (0, 0, 0, 0)
        self._thread = thread
        yield ev.SessionStarted(**self.head(), session=thread, agent_name="codex")


def _message(error: object) -> str:
    return text_of(error.get("message") or error) if isinstance(error, dict) else text_of(error)


_KINDS = frozenset({"turn.started", "turn.completed", "turn.failed"})


def _row(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "thread.started":
        return isinstance(value.get("thread_id"), str)
    if kind in ("item.started", "item.updated", "item.completed"):
        return isinstance(mapping_of(value.get("item")).get("type"), str)
    return isinstance(kind, str) and kind in _KINDS and not value.keys() - {"type", "usage", "error"}


FORMAT = Format(
    "codex-exec",
    "what `codex exec --json` prints",
    lambda path, candidate: CodexExecReader(path.name, candidate=candidate),
    row=_row,
)
