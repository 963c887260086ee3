"""The wire of the rehearsal server: the listening socket, bodies in, JSON and streams out, resets."""

import contextlib
import json
import socket
import struct
import sys
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from kernelseek_tui.rehearse import messages
from kernelseek_tui.rehearse.exchange import Exchange

if TYPE_CHECKING:
    from kernelseek_tui.rehearse.server import RehearsalServer

MAX_BODY = 32 << 20
"""Bytes; the Messages API takes no larger request."""

DRAINED = 1 << 30
DRAIN_SECONDS = 10.0


class Http(ThreadingHTTPServer):
    """The listening socket, and a thread for each connection."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128
    owner: "RehearsalServer"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in mid-answer is no error of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class RefusedError(Exception):
    """The request gets `status` and this sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Wire(BaseHTTPRequestHandler):
    """One connection, without any route."""

    protocol_version = "HTTP/1.1"
    server_version = "kernelseek-rehearse"
    sys_version = ""
    timeout = 600
    server: Http
    _streaming = False

    @property
    def _owner(self) -> "RehearsalServer":
        return self.server.owner

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Nothing on stderr: `Exchange` is the log."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """HTTP that cannot be read is answered in the API's form, too."""
        self.close_connection = True
        data = json.dumps(messages.error(code, message or "Bad request")).encode()
        self.request_version = (
            self.protocol_version
        )  # what cannot be parsed counts as version 0.9: no headers
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _body(self, json_wanted: bool = True) -> object:
        """The decoded body; all of it is read in any case, so that a client can read our answer."""
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise RefusedError(411, "Send a Content-Length.")
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0:
            self.close_connection = True
            raise RefusedError(400, "Content-Length: not a number of bytes")
        if length > MAX_BODY:
            self._drain(length)
            raise RefusedError(413, f"Request exceeds the maximum size of {MAX_BODY} bytes.")
        data = self.rfile.read(length)
        if not json_wanted:
            return None
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:  # also text that is not UTF-8
            raise RefusedError(400, f"The request body is not valid JSON: {error}") from None

    def _drain(self, length: int) -> None:
        self.close_connection = True
        until = time.monotonic() + DRAIN_SECONDS
        left = min(length, DRAINED)
        while left and time.monotonic() < until:
            got = len(self.rfile.read1(min(left, 1 << 20)))
            if not got:
                return
            left -= got

    def _refuse(
        self,
        status: int,
        text: str,
        told: Exchange | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        told = told or Exchange(self.path, "other", status)
        told = replace(told, status=status, detail=text)
        if self._streaming:
            self._owner.record(told)
            self._reset()
            return
        self._send(status, messages.error(status, text), told, headers)

    def _send(
        self,
        status: int,
        body: dict[str, Any] | None,
        told: Exchange | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        data = json.dumps(body).encode() if body is not None else b""
        # Recorded before it is sent: who has the answer can rely on the record.
        if told is not None:
            self._owner.record(told)
        self.send_response(status)
        self._common_headers()
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _common_headers(self) -> None:
        self.send_header("request-id", messages.new_id("req"))

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _reset(self) -> None:
        """End the connection so that the other side sees a reset."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()  # it holds the socket open
            self.connection.close()
