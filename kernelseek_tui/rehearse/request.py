"""What a client sends to the Messages API, as far as a rehearsal needs it."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class RequestError(Exception):
    """The request is not one of the Messages API; the message says which field is wrong."""


class _Lenient(BaseModel):
    """Fields that are not known are ignored: clients are newer than we are."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(_Lenient):
    """One content block. Which fields are set depends on `type`; other types than ours are passed over."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    is_error: bool | None = False
    content: "str | tuple[Part, ...] | dict[str, Any] | None" = None

    @property
    def inner_text(self) -> str:
        """The text of a tool result."""
        if isinstance(self.content, str):
            return self.content
        parts = self.content if isinstance(self.content, tuple) else ()
        return "\n".join(part.text for part in parts if part.type == "text")


class Message(_Lenient):
    """One message of the conversation."""

    role: Literal["user", "assistant", "system"]
    content: str | tuple[Part, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The content in one form."""
        return (Part(type="text", text=self.content),) if isinstance(self.content, str) else self.content


class Request(_Lenient):
    """The body of `POST /v1/messages` (and of `count_tokens`, which has no `max_tokens`)."""

    model: str = Field(min_length=1)
    messages: tuple[Message, ...] = Field(min_length=1)
    max_tokens: int = Field(default=1, ge=1)
    system: str | tuple[Part, ...] | None = None
    tools: tuple[dict[str, Any], ...] | None = None
    tool_choice: dict[str, Any] | None = None
    output_config: dict[str, Any] | None = None
    stream: bool | None = False

    @property
    def system_text(self) -> str:
        """Everything the client tells outside the conversation."""
        own = [self.system] if isinstance(self.system, str) else [part.text for part in self.system or ()]
        return "\n".join(own + [p.text for m in self.messages if m.role == "system" for p in m.parts])

    @property
    def offered(self) -> Sequence[dict[str, Any]]:
        """The tools that may be called."""
        forbidden = (self.tool_choice or {}).get("type") == "none"
        return () if forbidden else self.tools or ()


def read_request(body: object, counting: bool = False) -> Request:
    """Check a decoded body. Raises `RequestError`."""
    try:
        if isinstance(body, dict) and not counting and "max_tokens" not in body:
            raise RequestError("max_tokens: Field required")
        return Request.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise RequestError(f"{where}: {first['msg']}") from None
