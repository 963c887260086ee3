"""The server with the vendor's own SDK: whole stories, streamed and not, several clients at once."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anthropic
import pytest

from kernelseek_tui.agents.rehearsal.script import DEFAULT, Script, load_script
from kernelseek_tui.agents.rehearsal.story import ToolUse
from kernelseek_tui.rehearse.server import HOST, RehearsalServer, ServeError
from tests.kernelseek_tui.rehearse.stage import (
    API_TOOLS,
    CLAUDE_TOOLS,
    SYSTEM,
    WORKSPACE,
    CannedTools,
    script,
    told_directly,
)

HUMANS = (
    "Make the attention kernel fast.",
    "Is the timer noise, run to run?",
    "What runs outside the kernel on every call, on the host?",
    "Which code path do the slow scenarios take?",
    "Is the goal achieved?",
)
OWN_NAMES = {"view": "Read", "str_replace": "Edit", "create": "Write"}
OWN_INPUTS = {"path": "file_path", "old_str": "old_string", "new_str": "new_string", "file_text": "content"}


def client_of(server: RehearsalServer, **more: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="secret-key", base_url=server.url, max_retries=0, **more)


def in_script_terms(name: str, given: dict[str, Any]) -> ToolUse:
    """A call as the script wrote it."""
    given = dict(given)
    if name == "bash":
        return ToolUse("Bash", given)
    if name == "str_replace_based_edit_tool":
        return ToolUse(OWN_NAMES[given.pop("command")], {OWN_INPUTS[key]: v for key, v in given.items()})
    given.pop("timeout", None)
    return ToolUse(name, given)


def whole(client: anthropic.Anthropic, **request: Any) -> Any:
    return client.messages.create(max_tokens=1000, **request)


def streamed(client: anthropic.Anthropic, **request: Any) -> Any:
    with client.messages.stream(max_tokens=1000, **request) as stream:
        return stream.get_final_message()


def play(
    client: anthropic.Anthropic,
    humans: tuple[str, ...],
    tools: list[dict[str, Any]],
    send: Callable[..., Any] = whole,
    system: Any = SYSTEM,
) -> list[tuple[tuple[str, ...], tuple[ToolUse, ...]]]:
    """The replies to a whole conversation, with the tools run by canned ones."""
    canned, messages, replies = CannedTools(), [], []
    for text in humans:
        messages.append({"role": "user", "content": text})
        while True:
            reply = send(client, model="any", system=system, tools=tools, messages=messages)
            calls = [block for block in reply.content if block.type == "tool_use"]
            uses = [in_script_terms(call.name, call.input) for call in calls]
            texts = tuple(block.text for block in reply.content if block.type == "text")
            replies.append((texts, tuple(uses)))
            messages.append({"role": "assistant", "content": reply.content})
            assert reply.stop_reason == ("tool_use" if calls else "end_turn")
            if not calls:
                break
            results = []
            for call, use in zip(calls, uses, strict=True):
                outcome = canned.run(use)
                result = {"type": "tool_result", "tool_use_id": call.id, "content": outcome.output}
                results.append({**result, "is_error": outcome.is_error})
            messages.append({"role": "user", "content": results})
    return replies


@pytest.fixture(scope="module")
def short() -> Iterator[RehearsalServer]:
    with RehearsalServer(script()) as server:
        yield server


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("tools", "send"), [(CLAUDE_TOOLS, streamed), (API_TOOLS, whole)])
def test_the_whole_script_to_its_goal(
    seed: int, tools: list[dict[str, Any]], send: Callable[..., Any]
) -> None:
    told: Script = load_script(DEFAULT)
    with RehearsalServer(told, seed) as server, client_of(server) as client:
        replies = play(client, HUMANS, tools, send)
    expected = told_directly(told, seed, HUMANS, CannedTools().run)
    if tools is API_TOOLS:  # these have no timeout
        expected = [(texts, tuple(_without_timeout(use) for use in calls)) for texts, calls in expected]
    assert replies == expected
    assert any("The goal is met" in text for texts, _ in replies for text in texts)
    assert [exchange.kind for exchange in server.exchanges] == ["story"] * len(replies)
    assert server.requests == len(replies)


def _without_timeout(use: ToolUse) -> ToolUse:
    return ToolUse(use.tool, {key: value for key, value in use.input.items() if key != "timeout"})


def test_the_workspace_of_the_request_is_the_storys(short: RehearsalServer) -> None:
    with client_of(short) as client:
        replies = play(client, ("Go.",), CLAUDE_TOOLS, system=[{"type": "text", "text": SYSTEM}])
    assert replies[1][1][0].input["file_path"] == f"{WORKSPACE}/c.cpp"


def test_concurrent_clients_do_not_mix(short: RehearsalServer) -> None:
    def one(number: int) -> bool:
        with client_of(short) as client:
            system = SYSTEM.replace(WORKSPACE, f"/home/ann/{number}")
            replies = play(client, ("Go.", "The door?"), CLAUDE_TOOLS, streamed, system)
        paths = {use.input["file_path"] for _, uses in replies for use in uses if use.tool == "Edit"}
        return paths == {f"/home/ann/{number}/c.cpp"} and replies[-1][0] == ("It is open.",)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(16)))


def test_stream_events_come_in_the_documented_order(short: RehearsalServer) -> None:
    with client_of(short) as client:
        request: dict[str, Any] = {"model": "m", "max_tokens": 9, "tools": CLAUDE_TOOLS, "system": SYSTEM}
        kinds = [
            event.type
            for event in client.messages.create(
                messages=[{"role": "user", "content": "Go."}], stream=True, **request
            )
        ]
    assert [kind for kind in kinds if kind != "content_block_delta"] == [
        "message_start",
        "content_block_start",
        "content_block_stop",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert kinds.count("content_block_delta") > 2


def test_usage_is_an_estimate_that_grows_and_shows_caching(short: RehearsalServer) -> None:
    with client_of(short) as client:
        request: dict[str, Any] = {"model": "m", "max_tokens": 9, "tools": CLAUDE_TOOLS, "system": SYSTEM}
        first = client.messages.create(messages=[{"role": "user", "content": "Go."}], **request)
        longer = [{"role": "user", "content": "Go." * 400}]
        second = client.messages.create(messages=longer, **request)
        counted = client.messages.count_tokens(model="m", messages=longer, tools=CLAUDE_TOOLS, system=SYSTEM)
        request["system"] = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
        cold = client.messages.create(messages=longer, **request).usage
        longer += [{"role": "assistant", "content": "x"}, {"role": "user", "content": "Go on."}]
        warm = client.messages.create(messages=longer, **request).usage
    assert 0 < first.usage.input_tokens < second.usage.input_tokens == counted.input_tokens
    assert first.usage.output_tokens > 1
    assert (cold.input_tokens, cold.cache_read_input_tokens) == (0, 0)
    assert cold.cache_creation_input_tokens > second.usage.input_tokens
    assert warm.cache_read_input_tokens > cold.cache_creation_input_tokens > warm.cache_creation_input_tokens


def test_models(short: RehearsalServer) -> None:
    with client_of(short) as client:
        assert [model.id for model in client.models.list()] == ["rehearsal"]
        assert client.models.retrieve("claude-any").id == "claude-any"


def test_ids_are_never_the_same(short: RehearsalServer) -> None:
    with client_of(short) as client:
        request: dict[str, Any] = {"model": "m", "tools": CLAUDE_TOOLS, "system": SYSTEM}
        replies = [whole(client, messages=[{"role": "user", "content": "Go."}], **request) for _ in range(5)]
    assert len({reply.id for reply in replies} | {reply.content[-1].id for reply in replies}) == 10


def test_the_log_holds_what_was_said_and_no_key(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with RehearsalServer(script(), log=log) as server, client_of(server) as client:
        play(client, ("Go.", "The door?"), CLAUDE_TOOLS)
        found = server.wait_for(lambda exchange: bool(exchange.heard) and "door" in exchange.heard[0].text, 5)
    assert found is not None
    assert found.texts == ("The door.",)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["heard"] == [{"where": "prompt", "text": "Go."}]
    assert lines[0]["calls"] == ["Bash"]
    assert "secret-key" not in log.read_text()


def test_waiting_for_what_never_comes_ends(short: RehearsalServer) -> None:
    assert short.wait_for(lambda exchange: exchange.kind == "nothing", 0.01) is None


def test_a_port_in_use_and_a_log_that_cannot_be_written(short: RehearsalServer, tmp_path: Path) -> None:
    with pytest.raises(ServeError, match=f"bind {HOST}:{short.port}"):
        RehearsalServer(script(), port=short.port).start()
    with pytest.raises(ServeError, match="nowhere"):
        RehearsalServer(script(), log=tmp_path / "nowhere" / "log").start()


def test_closing_twice_and_before_the_start() -> None:
    RehearsalServer(script()).close()
    for _ in range(20):
        server = RehearsalServer(script()).start()
        server.close()
        server.close()


def test_closing_while_connections_are_refused() -> None:
    with RehearsalServer(script()) as server:
        server.refuse(60)
