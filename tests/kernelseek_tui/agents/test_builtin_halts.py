"""How a turn of the built-in agent ends when it cannot go on: the client itself, without a driver."""

import json

import pytest

from kernelseek_tui.agents.builtin.client import Builtin, read_options
from tests.kernelseek_tui.agents.built import KEY
from tests.kernelseek_tui.agents.messages_server import Fail, Say, bash, text


class Turned:
    """A client in this process; `turn` plays one turn and gives the lines it wrote."""

    def __init__(self, server, folder, capsys, model="claude-opus-5-5", **options):
        self.server = server
        self._capsys = capsys
        given = ["--workspace", str(folder), "--candidate", "candidate.cpp", "--model", model]
        given += ["--allow-all", "--max-tokens", "4096", "--backoff", "0"]
        for name, value in options.items():
            given += [f"--{name.replace('_', '-')}", str(value)]
        self.client = Builtin(read_options(given))

    async def turn(self, words="Make it fast."):
        self.client.hear(words)
        reason, detail = await self.client.turn()
        written = self._capsys.readouterr().out.splitlines()
        return reason, detail, [json.loads(line) for line in written]


@pytest.fixture
def turned(served, capsys):
    folder, server = served
    return lambda **options: Turned(server, folder, capsys, **options)


def kinds(lines, kind):
    return [line for line in lines if line["type"] == kind]


async def test_the_spend_ceiling_halts_before_the_next_request(turned):
    one = turned(spend_ceiling=0.05)
    one.server.script += [Say([bash("true")], usage={"output_tokens": 2600})]
    reason, detail, lines = await one.turn()
    assert reason == "failed"
    assert "The spend ceiling is reached: $0.052 of $0.05" in detail
    assert "cannot be resumed" in detail
    assert "start a new session with a higher --spend-ceiling." in detail
    assert len(one.server.requests) == 1
    assert kinds(lines, "tool_result")  # what was begun is brought to its end
    reason, again, _ = await one.turn("Go on.")
    assert (reason, again) == ("failed", detail)
    assert len(one.server.requests) == 1


async def test_an_unknown_model_has_no_price_but_a_bound(turned):
    one = turned(model="some-model-1", spend_ceiling=1.0, token_ceiling=150)
    one.server.script += [Say([bash("true")])] * 3
    reason, detail, lines = await one.turn()
    assert reason == "failed"
    assert "The token ceiling is reached: 202 of 150 tokens" in detail
    (note,) = kinds(lines, "note")
    assert "The price of some-model-1 is not in the list" in note["text"]
    assert "stops at 150 tokens" in note["text"]
    assert [line["cost_usd"] for line in kinds(lines, "usage")] == [None, None]


async def test_a_refused_key_ends_the_turn_and_a_message_tries_again(turned):
    one = turned()
    one.server.script += [Fail(401, "authentication_error", f"invalid x-api-key {KEY}")]
    reason, detail, lines = await one.turn()
    assert reason == "failed"
    assert "ANTHROPIC_API_KEY" in detail
    assert KEY not in detail + json.dumps(lines)
    assert one.client._outage
    reason, _, _ = await one.turn("And now?")
    assert reason == "completed"
    assert not one.client._outage
    assert one.server.words() == ["Make it fast.", "And now?"]  # roles still alternate


async def test_a_refusal_is_said_and_its_message_is_not_sent_again(turned):
    one = turned()
    one.server.script += [Say([text("I can")], stop="refusal"), Say([text("Sure.")])]
    reason, detail, lines = await one.turn("Something odd.")
    assert reason == "failed"
    assert "stop reason: refusal" in detail
    assert not kinds(lines, "text")
    assert (await one.turn("Something else."))[0] == "completed"
    assert one.server.words() == ["Something else."]


async def test_a_reply_cut_at_the_limit_goes_on_and_its_half_call_is_not_run(turned, served):
    one = turned()
    one.server.script += [Say([text("Now"), bash("touch made")], stop="max_tokens"), Say([text("Smaller.")])]
    reason, _, lines = await one.turn()
    assert reason == "completed"
    assert not (served[0] / "made").exists()
    assert not kinds(lines, "tool_call")
    assert "limit of 4096 tokens" in kinds(lines, "note")[0]["text"]
    assert "in smaller steps" in one.server.words()[0]


async def test_three_cut_replies_in_a_row_give_the_turn_up(turned):
    one = turned()
    one.server.script += [Say([text("Long")], stop="max_tokens")] * 5
    reason, detail, _ = await one.turn()
    assert reason == "failed"
    assert "3 replies in a row" in detail
    assert len(one.server.requests) == 3
    one.server.script.pop()
    reason, _, _ = await one.turn("Shorter.")  # the count begins anew
    assert reason == "completed"
    assert len(one.server.requests) == 5


async def test_a_full_context_window_makes_room_or_says_so(turned):
    one = turned()
    one.server.script += [Say([text("Full")], stop="model_context_window_exceeded")]
    reason, detail, _ = await one.turn()
    assert (reason, "start a new session" in detail) == ("failed", True)
    for number in range(9):
        one.server.script += [Say([bash("echo words", f"t{number}")])]
    one.server.script += [Say([text("Full")], stop="model_context_window_exceeded"), Say([text("Room.")])]
    reason, _, lines = await one.turn("Again.")
    assert reason == "completed"
    assert kinds(lines, "text")[-1]["text"] == "Room."


async def test_an_unknown_stop_reason_is_named_and_a_paused_turn_goes_on(turned):
    one = turned()
    one.server.script += [Say([text("One.")], stop="pause_turn"), Say([text("Two.")], stop="mystery")]
    reason, _, lines = await one.turn()
    assert reason == "completed"
    assert [line["text"] for line in kinds(lines, "text")] == ["One.", "Two."]
    assert "not known here: mystery" in kinds(lines, "note")[0]["text"]


async def test_a_cut_stream_says_its_words_once_and_runs_its_call_once(turned, served):
    one = turned()
    blocks = [text("I add a line."), bash("echo x >> made")]
    one.server.script += [Say(blocks, events=7), Say(blocks), Say([text("Done.")])]
    reason, _, lines = await one.turn()
    assert reason == "completed"
    assert [line["text"] for line in kinds(lines, "text")] == ["I add a line.", "Done."]
    assert len(kinds(lines, "tool_call")) == 1
    assert (served[0] / "made").read_text() == "x\n"
    assert [line["message"] for line in kinds(lines, "usage")] == ["msg_1", "msg_2", "msg_3"]


async def test_empty_words_are_kept_out_of_the_conversation(turned):
    one = turned()
    one.server.script += [Say([text("  \n")]), Say([text("Now.")])]
    _, _, lines = await one.turn()
    assert not kinds(lines, "text")
    await one.turn("Well?")
    assert one.server.words() == ["Make it fast.", "Well?"]
