"""JSON-RPC messages as logs hold them: bare, or in a recorder's line `{"t": ..., "dir": ..., "msg": ...}`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.readers.base import name_of, text_of


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `way` is `in` (written to the agent), `out` (from it), or empty where the log has none.

    `id` is None for a notification; ids of requests are compared as text. `result` and `error` are an
    answer's.
    """

    way: str
    method: str
    id: str | None
    params: Mapping[str, Any]
    answer: bool
    result: Any
    error: Any


def message_of(value: Mapping[str, Any]) -> Message | None:
    """The message of a line, None where it holds none."""
    inner = value.get("msg", value.get("message"))
    body = inner if isinstance(inner, dict) and "method" not in value else value
    method = name_of(body.get("method"))
    answer = not method and "id" in body and ("result" in body or "error" in body)
    if not method and not answer:
        return None
    params = body.get("params")
    number = body.get("id")
    return Message(
        name_of(value.get("dir")),
        method,
        None if number is None else text_of(number),
        params if isinstance(params, dict) else {},
        answer,
        body.get("result"),
        body.get("error"),
    )


def refused(error: object) -> str:
    """What an error answer says."""
    return text_of(error.get("message") or error) if isinstance(error, dict) else text_of(error)


class Requests:
    """Requests that wait for their answers, of both sides: each side counts its own ids."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}

    def sent(self, side: str, message: Message) -> None:
        """`side` (`client` or `agent`) asked something."""
        if message.id is not None:
            self._waiting[side, message.id] = (message.method, message.params)

    def answered(self, side: str, message: Message) -> tuple[str, Mapping[str, Any]] | None:
        """What `side` had asked that this answers, once."""
        return self._waiting.pop((side, message.id or ""), None)

    def asks(self, side: str, message: Message) -> bool:
        """Whether `side` waits for an answer with this id."""
        return (side, message.id or "") in self._waiting

    def any(self, method: str) -> bool:
        """Whether a request of this method waits."""
        return any(waiting == method for waiting, _ in self._waiting.values())
