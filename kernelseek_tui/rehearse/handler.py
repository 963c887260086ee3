"""HTTP of the rehearsal server: routes, bodies, streams, and what a fault does to them.

HEAD, GET /                          200
POST /v1/messages                    a reply, streamed or not
POST /v1/messages/count_tokens       an estimate
GET  /v1/models, /v1/models/NAME     one model
GET, POST, DELETE /rehearse/faults   what strikes; {"faults": ["401", "cut@7"]}; strike no more
GET  /rehearse/exchanges             what was said so far
anything else                        404 (telemetry, settings, registries)
"""

import json
from dataclasses import asdict
from typing import Any

from kernelseek_tui.agents.rehearsal.script import ScriptError
from kernelseek_tui.rehearse import messages
from kernelseek_tui.rehearse.conversation import answer
from kernelseek_tui.rehearse.exchange import Exchange
from kernelseek_tui.rehearse.faults import STATUS_TEXTS, Fault, FaultError, parse_fault
from kernelseek_tui.rehearse.request import Request, RequestError, read_request
from kernelseek_tui.rehearse.wire import RefusedError, Wire


class Handler(Wire):
    """Answers one connection."""

    @property
    def _route(self) -> str:
        return self.path.partition("?")[0].rstrip("/") or "/"

    def do_HEAD(self) -> None:  # noqa: N802  # the base class's name
        """Clients look whether we are there."""
        self._handle(lambda: self._send(200 if self._route == "/" else 404, None))

    def do_GET(self) -> None:  # noqa: N802  # the base class's name
        """Models, faults, exchanges."""
        self._handle(self._get)

    def do_POST(self) -> None:  # noqa: N802  # the base class's name
        """Messages, token counts, faults."""
        self._handle(self._post)

    def do_DELETE(self) -> None:  # noqa: N802  # the base class's name
        """Strike no more."""
        self._handle(self._delete)

    do_PUT = do_PATCH = do_OPTIONS = do_POST  # noqa: N815

    def _handle(self, act: Any) -> None:
        self._streaming = False
        if self._owner.refusing:
            self._reset()
            return
        try:
            host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in ("127.0.0.1", "localhost"):
                raise RefusedError(403, "This server answers on the loopback address only.")
            act()
        except RefusedError as error:
            self._refuse(error.status, str(error))
        except OSError:
            raise  # the client went away
        except Exception as error:
            # Whatever a client sends, it gets an answer; the sentence is the report.
            self._refuse(500, f"The rehearsal server failed: {type(error).__name__}: {error}")

    def _get(self) -> None:
        route = self._route
        if route == "/":
            self._send(200, {"name": self.server_version})
        elif route == "/v1/models":
            self._send(200, messages.models(), Exchange(self.path, "models", 200))
        elif route.startswith("/v1/models/"):
            self._send(200, messages.models(route.rsplit("/", 1)[-1])["data"][0])
        elif route == "/rehearse/faults":
            self._send_faults()
        elif route == "/rehearse/exchanges":
            self._send(200, {"exchanges": [asdict(exchange) for exchange in list(self._owner.exchanges)]})
        else:
            raise RefusedError(404, "Not found")

    def _post(self) -> None:
        route = self._route
        if self.command != "POST" or route not in (
            "/v1/messages",
            "/v1/messages/count_tokens",
            "/rehearse/faults",
        ):
            self._body(json_wanted=False)
            raise RefusedError(404 if self.command == "POST" else 405, "Not found")
        body = self._body()
        if route == "/rehearse/faults":
            self._set_faults(body)
            return
        try:
            request = read_request(body, counting=route.endswith("count_tokens"))
        except RequestError as error:
            raise RefusedError(400, str(error)) from None
        assert isinstance(body, dict)
        if route.endswith("count_tokens"):
            counted = {"input_tokens": messages.count_tokens(body)}
            self._send(200, counted, Exchange(self.path, "count", 200, model=request.model))
        else:
            self._converse(request, body)

    def _delete(self) -> None:
        if self._route != "/rehearse/faults":
            raise RefusedError(405, "Not found")
        self._owner.clear_faults()
        self._send_faults()

    def _set_faults(self, body: object) -> None:
        wanted = body.get("faults") if isinstance(body, dict) else None
        if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
            raise RefusedError(400, 'faults: a list is wanted, such as {"faults": ["401", "cut@7"]}')
        try:
            self._owner.add_faults([parse_fault(one) for one in wanted])
        except FaultError as error:
            raise RefusedError(400, str(error)) from None
        self._send_faults()

    def _send_faults(self) -> None:
        self._send(200, {"requests": self._owner.requests, "faults": self._owner.faults_told()})

    def _converse(self, request: Request, body: dict[str, Any]) -> None:
        number, faults = self._owner.count_request() if request.offered else (0, [])
        for fault in faults:
            if fault.kind == "delay":
                self._owner.stopping.wait(fault.value)
        stroke = next((fault for fault in faults if fault.kind != "delay"), None)
        told = Exchange(self.path, "story", 0, number, request.model, fault=str(stroke or ""))
        if stroke is not None and self._strike(stroke, told):
            return
        try:
            said = answer(self._owner.script, self._owner.seed, request)
        except ScriptError as error:
            raise RefusedError(500, str(error)) from None
        whole = messages.message(said, body)
        told = Exchange(
            self.path,
            said.kind,
            200,
            number,
            request.model,
            said.heard,
            said.texts,
            tuple(name for name, _ in said.calls),
            fault=str(stroke or ""),
        )
        if request.stream:
            self._stream(whole, told, stroke)
        else:
            self._whole(whole, told, stroke)

    def _strike(self, fault: Fault, told: Exchange) -> bool:
        """Answer with a fault; False where it strikes the reply itself."""
        if fault.kind in STATUS_TEXTS:
            status, text = STATUS_TEXTS[fault.kind]
            wait = {"retry-after": f"{fault.value:g}"} if status == 429 and fault.value is not None else {}
            self._refuse(status, text, told, wait)
            return True
        if fault.kind == "hang":
            self._owner.record(told)
            self._owner.stopping.wait()
            self.close_connection = True
            return True
        if fault.kind == "refuse":
            self._owner.record(told)
            self._owner.refuse(fault.value or 0.0)
            self._reset()
            return True
        return False

    def _stream(self, whole: dict[str, Any], told: Exchange, stroke: Fault | None) -> None:
        events = list(messages.stream(whole))
        self._owner.record(told)
        self.send_response(200)
        self._common_headers()
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._streaming = True
        broken = len(events)
        if stroke is not None:
            broken = min(len(events) - 1, len(events) // 2 if stroke.value is None else int(stroke.value))
        for name, data in events[:broken]:
            self._chunk(messages.server_sent(name, data))
            if self._owner.pace and self._owner.stopping.wait(self._owner.pace):
                break
        if stroke is not None and stroke.kind == "error":
            self._chunk(messages.server_sent("error", messages.error(529, "Overloaded")))
        if stroke is not None and stroke.kind == "cut":
            self._reset()
            return
        self._chunk(b"")

    def _whole(self, whole: dict[str, Any], told: Exchange, stroke: Fault | None) -> None:
        if stroke is not None and stroke.kind == "error":
            self._refuse(529, "Overloaded", told)
            return
        if stroke is None:
            self._send(200, whole, told)
            return
        data = json.dumps(whole).encode()
        self._owner.record(told)
        self.send_response(200)
        self._common_headers()
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        self._reset()
