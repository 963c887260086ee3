"""A model on loopback whose every reply is dictated by the test. Keeps what it was sent."""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from kernelseek_tui.rehearse import messages
from kernelseek_tui.rehearse.conversation import Said


def bash(command: str, say: str = "") -> Said:
    """A reply that runs a command."""
    return Said(
        "story", texts=(say,) if say else (), calls=(("Bash", {"command": command, "description": "run"}),)
    )


def says(text: str) -> Said:
    """A reply that ends the turn."""
    return Said("story", texts=(text,), calls=())


class Dictated:
    """Answers requests that offer tools with `replies` in order, then with "Noted."; others with "ok"."""

    def __init__(self, replies: Sequence[Said]) -> None:
        self.replies = list(replies)
        self.bodies: list[str] = []
        self._changed = threading.Condition()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"model": self}))
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> "Dictated":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def reply(self, body: dict[str, Any]) -> Said:
        with self._changed:
            if not body.get("tools"):
                return says("ok")
            self.bodies.append(json.dumps(body["messages"], ensure_ascii=False))
            said = self.replies.pop(0) if self.replies else says("Noted.")
            self._changed.notify_all()
            return said

    def heard(self, text: str, seconds: float = 30.0) -> bool:
        """Whether the model was sent a text, waiting for it."""
        with self._changed:
            return self._changed.wait_for(lambda: any(text in body for body in self.bodies), seconds)

    def times(self, text: str) -> int:
        """How often the text stands in the newest, and so the longest, conversation."""
        with self._changed:
            return self.bodies[-1].count(text) if self.bodies else 0


class _Handler(BaseHTTPRequestHandler):
    model: Dictated
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self._send(json.dumps(messages.models()).encode(), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if "count_tokens" in self.path:
            self._send(json.dumps({"input_tokens": 10}).encode(), "application/json")
            return
        whole = messages.message(self.model.reply(body), body)
        if body.get("stream"):
            data = b"".join(messages.server_sent(name, event) for name, event in messages.stream(whole))
            self._send(data, "text/event-stream")
        else:
            self._send(json.dumps(whole).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
