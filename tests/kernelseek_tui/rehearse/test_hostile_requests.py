"""Whatever comes in gets an answer in the API's form, and the server lives on."""

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.rehearse.request import RequestError, read_request
from kernelseek_tui.rehearse.server import HOST, RehearsalServer
from tests.kernelseek_tui.rehearse.stage import body, human, script


@pytest.fixture(scope="module")
def server() -> Iterator[RehearsalServer]:
    with RehearsalServer(script()) as server:
        yield server


def send(
    server: RehearsalServer,
    data: bytes | None,
    path: str = "/v1/messages",
    method: str = "POST",
    **headers: str,
) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=30)
    try:
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None
    finally:
        connection.close()


def fine(server: RehearsalServer) -> bool:
    status, reply = send(server, json.dumps(body([human("Go.")])).encode())
    return bool(status == 200 and reply["content"][0]["text"] == "I look.")


GOOD = body([human("Go.")])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"not json",
        b"[]",
        b"null",
        b"3",
        b'"text"',
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        *(
            json.dumps({**GOOD, **wrong}).encode()
            for wrong in (
                {"messages": []},
                {"messages": "Go."},
                {"messages": [3]},
                {"messages": [{"role": "robot", "content": "x"}]},
                {"messages": [{"role": "user"}]},
                {"messages": [{"role": "user", "content": 3}]},
                {"messages": [{"role": "user", "content": [{"text": "no type"}]}]},
                {"messages": [{"role": "user", "content": [{"type": "text", "text": {"x": 1}}]}]},
                {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": 7}]}]},
                {"model": 3},
                {"model": ""},
                {"model": None},
                {"max_tokens": "many"},
                {"max_tokens": 0},
                {"max_tokens": float("nan")},
                {"tools": 3},
                {"tools": ["Bash"]},
                {"system": 3},
                {"stream": "perhaps"},
                {"tool_choice": "any"},
                {"output_config": []},
            )
        ),
        json.dumps({key: value for key, value in GOOD.items() if key != "max_tokens"}).encode(),
        json.dumps({key: value for key, value in GOOD.items() if key != "model"}).encode(),
    ],
)
def test_a_body_that_is_no_request(server: RehearsalServer, data: bytes) -> None:
    status, reply = send(server, data)
    assert status == 400
    assert reply["type"] == "error"
    assert reply["error"]["type"] == "invalid_request_error"
    assert reply["error"]["message"]
    assert fine(server)


def test_half_a_surrogate_pair_is_a_text_like_another(server: RehearsalServer) -> None:
    status, reply = send(server, json.dumps(body([human("\ud800")])).encode())
    assert (status, reply["content"][0]["text"]) == (200, "I look.")


def test_a_body_of_100_mb(server: RehearsalServer) -> None:
    status, reply = send(server, b"x" * 100_000_000)
    assert (status, reply["error"]["type"]) == (413, "request_too_large")
    assert fine(server)


def test_tools_that_are_odd_but_possible(server: RehearsalServer) -> None:
    tools: list[dict[str, Any]] = [{}, {"name": None}, {"name": "Bash", "input_schema": 3}, {"type": 7}]
    status, reply = send(server, json.dumps(body([human("Go.")], tools=tools)).encode())
    assert status == 200
    assert reply["content"][1]["input"] == {"command": "look"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/", 200),
        ("GET", "/", 200),
        ("HEAD", "/elsewhere", 404),
        ("GET", "/elsewhere", 404),
        ("GET", "/v1/messages", 404),
        ("POST", "/api/event_logging/batch", 404),
        ("POST", "/v1/models", 404),
        ("POST", "/" + "a" * 5000, 404),
        ("PUT", "/v1/messages", 405),
        ("DELETE", "/v1/messages", 405),
        ("OPTIONS", "/v1/messages", 405),
        ("GET", "/../../etc/passwd", 404),
    ],
)
def test_other_paths_and_methods(server: RehearsalServer, method: str, path: str, status: int) -> None:
    found, reply = send(server, b"{}" if method in ("POST", "PUT") else None, path, method)
    assert found == status
    if status >= 400 and method != "HEAD":
        assert reply["type"] == "error"
    assert fine(server)


def test_only_the_loopback_name_is_answered(server: RehearsalServer) -> None:
    status, reply = send(server, json.dumps(GOOD).encode(), Host="evil.example:80")
    assert (status, reply["error"]["type"]) == (403, "permission_error")
    assert send(server, None, "/", "GET", Host=f"localhost:{server.port}")[0] == 200
    assert send(server, None, "/", "GET", Host="localhost")[0] == 200


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\nx", 413),
        (b"GIBBERISH\r\n\r\n", 400),
        (b"BREW / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    ],
)
def test_http_that_is_wrong(server: RehearsalServer, raw: bytes, status: int) -> None:
    with socket.create_connection((HOST, server.port), timeout=30) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        reply = b""
        while chunk := connection.recv(65536):
            reply += chunk
    assert b" %d " % status in reply.split(b"\r\n")[0]
    assert b'"type": "error"' in reply
    assert fine(server)


def test_clients_that_go_away(server: RehearsalServer, capfd: pytest.CaptureFixture[str]) -> None:
    data = json.dumps({**GOOD, "stream": True}).encode()
    for part in (
        b"",
        b"POST /v1",
        b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\n{",
    ):
        with socket.create_connection((HOST, server.port)) as connection:
            connection.sendall(part)
    for _ in range(5):
        with socket.create_connection((HOST, server.port)) as connection:
            head = f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(data)}\r\n\r\n"
            connection.sendall(head.encode() + data)
    assert fine(server)
    assert "Traceback" not in capfd.readouterr().err


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(
    _json
    | st.fixed_dictionaries(
        {"model": _json, "messages": _json, "max_tokens": _json}, optional={"tools": _json, "system": _json}
    )
    | _json.map(lambda value: {**GOOD, "messages": [{"role": "user", "content": value}]})
)
def test_reading_any_json_refuses_or_accepts(value: Any) -> None:
    with contextlib.suppress(RequestError):
        assert read_request(value).messages
