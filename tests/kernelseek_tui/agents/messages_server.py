"""A model of the Messages API that says exactly what a test tells it to, on loopback."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]


@dataclass
class Say:
    """A reply: `blocks` streamed in pieces. `events` cuts the stream after so many; `hold` stops it there."""

    blocks: list[Block]
    stop: str | None = None
    usage: dict[str, int] = field(default_factory=dict)
    events: int | None = None
    hold: bool = False
    error: str | None = None
    message: str | None = None


@dataclass
class Fail:
    """An error status instead of a reply."""

    status: int
    kind: str = "api_error"
    text: str = "no"


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def bash(command: str, call: str = "toolu_1") -> Block:
    return {"type": "tool_use", "id": call, "name": "bash", "input": {"command": command}}


def edit(call: str = "toolu_e", **arguments: Any) -> Block:
    return {"type": "tool_use", "id": call, "name": "str_replace_based_edit_tool", "input": arguments}


class MessagesServer:
    """Answers each request with the next of `script`, then with a last word. `requests` are the bodies."""

    def __init__(self) -> None:
        self.script: deque[Say | Fail] = deque()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.held = threading.Event()
        self.release = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer._lock:
                    outer.requests.append(body)
                    outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                    number = len(outer.requests)
                    answer = outer.script.popleft() if outer.script else Say([text("That is all.")])
                if isinstance(answer, Fail):
                    self._fail(answer)
                else:
                    self._say(answer, number, body["model"])

            def _fail(self, answer: Fail) -> None:
                content = json.dumps(
                    {"type": "error", "error": {"type": answer.kind, "message": answer.text}}
                ).encode()
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(content)

            def _say(self, answer: Say, number: int, model: str) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                events = list(_events(answer, answer.message or f"msg_{number}", model))
                for event in events[: answer.events]:
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                    self.wfile.flush()
                if answer.hold:
                    outer.held.set()
                    outer.release.wait(20)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self.release.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def results(self, index: int = -1) -> list[Block]:
        """The tool results in the newest message of a request."""
        return [
            block
            for block in self.requests[index]["messages"][-1]["content"]
            if block["type"] == "tool_result"
        ]

    def words(self, index: int = -1) -> list[str]:
        """The texts in the newest message of a request."""
        return [b["text"] for b in self.requests[index]["messages"][-1]["content"] if b["type"] == "text"]


def _events(answer: Say, message: str, model: str) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 100, "output_tokens": 1, **answer.usage}
    yield {
        "type": "message_start",
        "message": {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**usage, "output_tokens": 1},
        },
    }
    for index, block in enumerate(answer.blocks):
        start = {**block, "text": ""} if block["type"] == "text" else {**block}
        pieces: list[Block] = []
        if block["type"] == "text":
            half = len(block["text"]) // 2
            pieces = [
                {"type": "text_delta", "text": part} for part in (block["text"][:half], block["text"][half:])
            ]
        elif block["type"] == "tool_use":
            start["input"] = {}
            written = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
            half = len(written) // 2
            parts = (written[:half], written[half:])
            pieces = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        yield {"type": "content_block_stop", "index": index}
    if answer.error:
        yield {"type": "error", "error": {"type": answer.error, "message": "in the middle"}}
        return
    stop = answer.stop or ("tool_use" if any(b["type"] == "tool_use" for b in answer.blocks) else "end_turn")
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}
