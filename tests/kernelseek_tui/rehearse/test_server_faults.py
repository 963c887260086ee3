"""Every fault, as the vendor's SDK sees it, and the story whole behind it."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest

from kernelseek_tui.rehearse.faults import KINDS, MEANINGS, Fault, FaultError, parse_fault
from kernelseek_tui.rehearse.server import RehearsalServer
from tests.kernelseek_tui.rehearse.stage import CLAUDE_TOOLS, SYSTEM, script
from tests.kernelseek_tui.rehearse.test_serving import client_of, play, streamed, whole

REQUEST: dict[str, Any] = {
    "model": "m",
    "tools": CLAUDE_TOOLS,
    "system": SYSTEM,
    "messages": [{"role": "user", "content": "Go."}],
}
BROKEN = (anthropic.APIConnectionError, httpx2.TransportError)
SENDING = pytest.mark.parametrize("send", [whole, streamed])


def test_faults_are_read_and_written() -> None:
    assert parse_fault("401@2") == Fault("401", None, 2, 2)
    assert parse_fault("429=7@3-5") == Fault("429", 7.0, 3, 5)
    assert parse_fault("cut") == Fault("cut")
    assert [parse_fault("401@2-").at(request) for request in (1, 2, 3, 10**9)] == [False, True, True, True]
    for text in ("401@1-", "429=0.5@1", "too-long@2-3", "hang", "cut=4@9"):
        assert str(parse_fault(text)) == text
    assert set(MEANINGS) == set(KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "402",
        "401@0",
        "401@",
        "401@3-2",
        "delay=x",
        "delay=-1",
        "cut@1@2",
        "401@-",
        "401@0-",
        "delay=99999",
        "529=3",
        "hang=3",
        "@3",
    ],
)
def test_a_fault_that_is_none(text: str) -> None:
    with pytest.raises(FaultError):
        parse_fault(text)


@SENDING
@pytest.mark.parametrize(
    ("kind", "error", "status", "name"),
    [
        ("400", anthropic.BadRequestError, 400, "invalid_request_error"),
        ("too-long", anthropic.BadRequestError, 400, "invalid_request_error"),
        ("401", anthropic.AuthenticationError, 401, "authentication_error"),
        ("403", anthropic.PermissionDeniedError, 403, "permission_error"),
        ("404", anthropic.NotFoundError, 404, "not_found_error"),
        ("429", anthropic.RateLimitError, 429, "rate_limit_error"),
        ("500", anthropic.InternalServerError, 500, "api_error"),
        ("529", anthropic.APIStatusError, 529, "overloaded_error"),
    ],
)
def test_an_error_and_then_the_story(
    kind: str, error: type[anthropic.APIStatusError], status: int, name: str, send: Callable[..., Any]
) -> None:
    with RehearsalServer(script(), faults=[parse_fault(f"{kind}@1")]) as server, client_of(server) as client:
        with pytest.raises(error) as caught:
            send(client, **REQUEST)
        assert caught.value.status_code == status
        body: Any = caught.value.body
        assert body["type"] == "error"
        assert body["error"]["type"] == name
        assert ("prompt is too long" in body["error"]["message"]) == (kind == "too-long")
        assert (caught.value.response.headers.get("retry-after") == "1") == (kind == "429")
        assert send(client, **REQUEST).content[0].text == "I look."
    struck, fine = server.exchanges
    assert (struck.status, struck.number, struck.fault.split("@")[1]) == (status, 1, "1")
    assert (fine.status, fine.number, fine.fault) == (200, 2, "")


def test_the_sdks_own_retries_get_through() -> None:
    faults = [parse_fault(text) for text in ("529", "500", "429=0.01")]
    with RehearsalServer(script(), faults=faults) as server:
        client = client_of(server).with_options(max_retries=4)
        client._calculate_retry_timeout = lambda *_: 0.0  # type: ignore[method-assign]  # not to wait in a test
        assert whole(client, **REQUEST).content[0].text == "I look."
        assert server.requests == 4


@SENDING
def test_a_cut_message(send: Callable[..., Any]) -> None:
    with RehearsalServer(script(), faults=[parse_fault("cut@1")]) as server, client_of(server) as client:
        with pytest.raises(BROKEN):
            send(client, **REQUEST)
        assert send(client, **REQUEST).content[0].text == "I look."


def test_where_a_stream_is_cut() -> None:
    with RehearsalServer(script(), faults=[parse_fault("cut=4@1")]) as server, client_of(server) as client:
        seen: list[str] = []
        stream = client.messages.create(max_tokens=9, stream=True, **REQUEST)
        with pytest.raises(BROKEN):
            seen.extend(event.type for event in stream)
        assert seen[0] == "message_start"
        assert "message_stop" not in seen
        assert len(seen) <= 4


def test_an_error_event_in_mid_stream() -> None:
    with RehearsalServer(script(), faults=[parse_fault("error@1")]) as server, client_of(server) as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            streamed(client, **REQUEST)
        body: Any = caught.value.body
        assert body["error"]["type"] == "overloaded_error"
        assert streamed(client, **REQUEST).content[0].text == "I look."


def test_an_error_event_where_nothing_is_streamed() -> None:
    with RehearsalServer(script(), faults=[parse_fault("error@1")]) as server, client_of(server) as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            whole(client, **REQUEST)
        assert caught.value.status_code == 529


def test_refused_connections_and_the_same_port_afterwards() -> None:
    with (
        RehearsalServer(script(), faults=[parse_fault("refuse=0.3@1")]) as server,
        client_of(server) as client,
    ):
        for _ in range(2):
            with pytest.raises(anthropic.APIConnectionError):
                whole(client, **REQUEST)
        client = client.with_options(max_retries=20)
        assert whole(client, **REQUEST).content[0].text == "I look."


def test_no_answer_until_the_client_gives_up() -> None:
    with RehearsalServer(script(), faults=[parse_fault("hang@1")]) as server:
        with client_of(server, timeout=0.3) as client, pytest.raises(anthropic.APITimeoutError):
            whole(client, **REQUEST)
        with client_of(server) as client:
            assert whole(client, **REQUEST).content[0].text == "I look."


def test_a_delay_is_longer_than_a_short_timeout() -> None:
    faults = [parse_fault("delay=3@1"), parse_fault("401@2")]
    with RehearsalServer(script(), faults=faults) as server, client_of(server, timeout=0.3) as client:
        with pytest.raises(anthropic.APITimeoutError):
            whole(client, **REQUEST)
        with pytest.raises(anthropic.AuthenticationError):
            whole(client, **REQUEST)


def test_faults_leave_the_conversation_as_it_would_have_been() -> None:
    faults = [parse_fault(text) for text in ("529@2", "500@4", "429=0@6")]
    with RehearsalServer(script()) as server, client_of(server) as client:
        expected = play(client, ("Go.", "The door?"), CLAUDE_TOOLS)
    with RehearsalServer(script(), faults=faults) as server:
        client = client_of(server).with_options(max_retries=3)
        client._calculate_retry_timeout = lambda *_: 0.0  # type: ignore[method-assign]
        assert play(client, ("Go.", "The door?"), CLAUDE_TOOLS) == expected


def test_the_control_endpoint() -> None:
    def control(method: str, body: object = None) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"{server.url}/rehearse/faults",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
        )
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    with RehearsalServer(script()) as server, client_of(server) as client:
        whole(client, **REQUEST)
        told = {"requests": 1, "faults": ["529@2", "500@3", "401@7"]}
        assert control("POST", {"faults": ["529", "500", "401@7"]}) == (200, told)
        assert control("GET") == (200, told)
        for status in (529, 500):
            with pytest.raises(anthropic.APIStatusError) as caught:
                whole(client, **REQUEST)
            assert caught.value.status_code == status
        assert control("DELETE") == (200, {"requests": 3, "faults": []})
        assert whole(client, **REQUEST).stop_reason == "tool_use"
        for wrong in ({}, {"faults": "401"}, {"faults": ["402"]}, {"faults": [1]}, []):
            status, answer = control("POST", wrong)
            assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
        with urllib.request.urlopen(f"{server.url}/rehearse/exchanges") as response:
            exchanges = json.load(response)["exchanges"]
        assert [e["status"] for e in exchanges if e["number"]] == [200, 529, 500, 200]


def test_side_requests_are_not_counted() -> None:
    with RehearsalServer(script(), faults=[parse_fault("401@1")]) as server, client_of(server) as client:
        aside = client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "A title?"}]
        )
        assert aside.stop_reason == "end_turn"
        with pytest.raises(anthropic.AuthenticationError):
            whole(client, **REQUEST)
