"""Replies in the words of the Messages API: message objects, stream events, errors, token estimates."""

import json
import math
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from kernelseek_tui.rehearse.conversation import Said

CHARACTERS_PER_TOKEN = 4
"""Usage is an estimate by length; no tokenizer is involved."""

DELTA_CHARACTERS = 24

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    411: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def estimate(characters: int) -> int:
    """Tokens of a text of that length, at least 1."""
    return max(1, math.ceil(characters / CHARACTERS_PER_TOKEN))


def new_id(prefix: str) -> str:
    """An id that no other reply has, e.g. `msg_01…`."""
    return f"{prefix}_01{secrets.token_hex(11)}"


def count_tokens(body: Mapping[str, Any]) -> int:
    """An estimate of what the model reads of a request."""
    read = {key: body[key] for key in ("system", "tools", "messages") if key in body}
    return estimate(len(json.dumps(read, ensure_ascii=True, separators=(",", ":"))))


def usage(body: Mapping[str, Any], output_characters: int) -> dict[str, Any]:
    """Estimated usage.

    Where the request marks something for caching, all but the newest message counts as read from the cache,
    as for a client that sends its conversation again and again.
    """
    whole = count_tokens(body)
    read = written = 0
    if '"cache_control"' in json.dumps(body):
        messages = body.get("messages")
        newest = messages[-1] if isinstance(messages, list) and messages else ""
        written = min(whole, estimate(len(json.dumps(newest, ensure_ascii=True))))
        if isinstance(messages, list) and len(messages) > 1:
            read = whole - written
        else:
            written = whole
    return {
        "input_tokens": whole - read - written,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": estimate(output_characters),
        "service_tier": "standard",
    }


def message(said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
    """A message object. Each text is a block of its own, then the calls."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in said.texts if text]
    for name, given in said.calls:
        blocks.append({"type": "tool_use", "id": new_id("toolu"), "name": name, "input": given})
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if said.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage(body, len(json.dumps(blocks))),
    }


def stream(whole: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The stream events (name, data) of a message object."""
    counted = whole["usage"]
    start = {**whole, "content": [], "stop_reason": None, "usage": {**counted, "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": start}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        first: dict[str, Any]
        if block["type"] == "text":
            first = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            first = {**block, "input": {}}
            text = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(text)]
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": first}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": whole["stop_sequence"]}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": counted}
    yield "message_stop", {"type": "message_stop"}


def server_sent(name: str, data: Mapping[str, Any]) -> bytes:
    """One event on the wire."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def error(status: int, text: str) -> dict[str, Any]:
    """An error object, for a response's body or a stream's `error` event."""
    kind = ERROR_TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": new_id("req")}


def models(name: str = "rehearsal") -> dict[str, Any]:
    """The list of models: one, whatever it is called; requests may name any other."""
    one = {
        "type": "model",
        "id": name,
        "display_name": "Rehearsed model",
        "created_at": "2026-01-01T00:00:00Z",
        "max_input_tokens": 200_000,
        "max_tokens": 32_000,
    }
    return {"data": [one], "has_more": False, "first_id": name, "last_id": name}


def _pieces(text: str) -> list[str]:
    return [text[at : at + DELTA_CHARACTERS] for at in range(0, len(text), DELTA_CHARACTERS)]
