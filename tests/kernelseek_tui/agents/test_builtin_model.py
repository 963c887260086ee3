"""What the connection to the API does about every way a reply can fail."""

import pytest

from kernelseek_tui.agents.builtin.conversation import CLEARED, Conversation
from kernelseek_tui.agents.builtin.model import CLEAR_ABOVE, TRIES, HaltError, Model
from tests.kernelseek_tui.agents.built import KEY
from tests.kernelseek_tui.agents.messages_server import Fail, MessagesServer, Say, bash, text


class Asked:
    """A model on a scripted server, and what it told while it was asked."""

    def __init__(self, server: MessagesServer) -> None:
        self.server = server
        self.partials: list[str | None] = []
        self.notes: list[str] = []
        self.costs: list[str | None] = []
        self.conversation = Conversation()
        self.conversation.say("Make it fast.")
        self.model = Model(
            "claude-opus-5-5",
            "You are under test.",
            max_tokens=100,
            backoff=0,
            on_text=self.partials.append,
            on_note=self.notes.append,
            on_cost=lambda draft: self.costs.append(draft.message),
        )

    async def reply(self):
        return await self.model.reply(self.conversation)

    @property
    def betas(self) -> list[bool]:
        return ["anthropic-beta" in headers for headers in self.server.headers]


@pytest.fixture
def asked(served):
    return Asked(served[1])


@pytest.mark.parametrize(
    "fault", [Fail(429, "rate_limit_error"), Fail(529, "overloaded_error"), Fail(500), Fail(503)]
)
async def test_a_passing_error_is_tried_again_by_the_sdk_without_a_word(asked, fault):
    asked.server.script += [fault, fault, Say([text("Here.")])]
    reply = await asked.reply()
    assert reply.blocks == [text("Here.")]
    assert len(asked.server.requests) == 3
    assert asked.notes == []


async def test_what_the_sdk_gives_up_on_is_tried_again_with_a_note(asked):
    asked.server.script += [Fail(529, "overloaded_error", "Overloaded")] * 3 + [Say([text("Here.")])]
    await asked.reply()
    assert asked.notes == [f"The API answers 529 (Overloaded); asking again in 0 s (1 of {TRIES - 1})."]


async def test_an_error_that_stays_ends_in_a_sentence(asked):
    asked.server.script += [Fail(529, "overloaded_error", "Overloaded")] * 40
    with pytest.raises(HaltError, match=r"529 \(Overloaded\) 6 times; send a message"):
        await asked.reply()
    assert len(asked.notes) == TRIES - 1


# Events: 1 message_start, 2 block start, 3-4 words, 5 block stop, 6 block start, 7-8 input, 9 block stop.
@pytest.mark.parametrize("events", [1, 3, 5, 7, 9, 10])
async def test_a_stream_that_breaks_off_is_asked_for_again_and_leaves_nothing(asked, events):
    blocks = [text("I will run it."), bash("rm -rf build", "a")]
    asked.server.script += [Say(blocks, events=events), Say(blocks)]
    before = [dict(message) for message in asked.conversation.messages]
    reply = await asked.reply()
    assert [call.input for call in reply.calls] == [{"command": "rm -rf build"}]
    assert reply.calls[0].problem is None
    assert asked.notes == [f"The reply broke off in mid-message; asking again in 0 s (1 of {TRIES - 1})."]
    assert asked.costs == ["msg_1"]  # it was billed
    # What was shown of the first try is taken back before anything of the second is shown.
    shown = asked.partials
    last = shown.index(None) + 1 if None in shown else 0
    assert (None in shown) == (events >= 3)
    assert "".join(part or "" for part in shown[last:]) == "I will run it."
    assert asked.conversation.messages == before


async def test_a_connection_that_dies_at_once_and_an_error_inside_the_stream_are_tried_again(asked):
    asked.server.script += [
        Say([text("So")], events=0),
        Say([text("So far")], error="overloaded_error"),
        Say([text("So far, so good.")]),
    ]
    reply = await asked.reply()
    assert reply.blocks == [text("So far, so good.")]
    assert asked.notes[1].startswith("The reply broke off with an error of the API (in the middle)")


async def test_an_error_inside_the_stream_that_stays_halts(asked):
    asked.server.script += [Say([text("So far")], error="invalid_request_error")]
    with pytest.raises(HaltError, match=r"refused the request \(200: in the middle\)"):
        await asked.reply()


async def test_a_stream_of_something_else_is_a_sentence(asked):
    junk = Say([{"type": "text", "text": "x"}])
    junk.blocks.insert(0, {"type": "tool_use", "id": "a", "name": "bash", "input": '{"command": ]'})
    asked.server.script += [junk] * 20
    with pytest.raises(HaltError, match=r"The reply could not be read \(ValueError"):
        await asked.reply()


async def test_a_refused_key_names_the_variable_and_never_its_value(asked, monkeypatch):
    asked.server.script += [Fail(401, "authentication_error", "invalid x-api-key")] * 2
    with pytest.raises(HaltError, match=r"the key in ANTHROPIC_API_KEY \(401\)") as halt:
        await asked.reply()
    assert KEY not in str(halt.value)
    assert len(asked.server.requests) == 1  # nothing is gained by trying again
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    other = Asked(asked.server)
    with pytest.raises(HaltError, match="the key in ANTHROPIC_AUTH_TOKEN"):
        await other.reply()
    assert other.partials == []


async def test_no_key_names_the_variable(asked, monkeypatch, tmp_path):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(HaltError, match="no API key; set ANTHROPIC_API_KEY"):
        await Asked(asked.server).reply()


async def test_a_model_that_is_not_there_is_named(asked):
    asked.server.script += [Fail(404, "not_found_error", "model: nope")] * 2
    with pytest.raises(HaltError, match=r"no model 'claude-opus-5-5' \(404: model: nope\); choose another"):
        await asked.reply()


async def test_a_refused_connection_names_the_host(asked, monkeypatch):
    monkeypatch.setattr("kernelseek_tui.agents.builtin.model.SDK_RETRIES", 0)  # it waits a second each time
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    asked = Asked(asked.server)
    with pytest.raises(HaltError, match=r"The API at 127\.0\.0\.1 could not be reached 6 times"):
        await asked.reply()


async def test_a_server_without_the_beta_is_asked_without_it_and_room_is_made_here(asked):
    refusal = Fail(400, "invalid_request_error", "context_management: Extra inputs are not permitted")
    asked.server.script += [refusal, Say([text("Plain.")], usage={"input_tokens": CLEAR_ABOVE + 1})]
    await asked.reply()
    assert asked.betas == [True, False]
    assert "context_management" not in asked.server.requests[1]
    assert "does not edit the context" in asked.notes[0]
    for number in range(9):
        asked.conversation.reply([bash("ls", f"t{number}")])
        asked.conversation.result(f"t{number}", "many words", False)
    await asked.reply()
    sent = [
        b for m in asked.server.requests[-1]["messages"] for b in m["content"] if b["type"] == "tool_result"
    ]
    assert [block["content"] for block in sent] == [CLEARED] * 3 + ["many words"] * 6
    assert asked.betas[-1] is False


async def test_a_bad_request_is_not_blamed_on_the_beta(asked):
    asked.server.script += [Fail(400, "invalid_request_error", "max_tokens: too large")] * 2
    with pytest.raises(HaltError, match=r"refused the request \(400: max_tokens: too large\)"):
        await asked.reply()
    assert asked.notes == []


async def test_a_conversation_that_is_too_long_makes_room_once_and_then_halts(asked):
    too_long = Fail(400, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum")
    for number in range(9):
        asked.conversation.reply([bash("ls", f"t{number}")])
        asked.conversation.result(f"t{number}", "many words", False)
    await asked.reply()
    asked.server.script += [too_long, Say([text("Room.")]), too_long]
    assert (await asked.reply()).blocks == [text("Room.")]
    assert "too long; old tool results were taken out" in asked.notes[-1]
    with pytest.raises(HaltError, match="too long for claude-opus-5-5"):
        await asked.reply()


async def test_thoughts_go_back_as_they_came(asked):
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s1g"}
    asked.server.script += [Say([thought, bash("ls", "a")])]
    reply = await asked.reply()
    assert reply.blocks[0] == thought
    asked.conversation.reply(reply.blocks)
    asked.conversation.result("a", "", False)
    await asked.reply()
    sent = asked.server.requests[-1]["messages"][1]["content"]
    assert sent == [thought, bash("ls", "a")]


async def test_a_reply_that_hit_the_limit_loses_its_last_call_only(asked):
    whole, half = bash("ls", "a"), bash("rm -rf /tmp/x", "b")
    asked.server.script += [Say([whole, half], stop="max_tokens")]
    reply = await asked.reply()
    assert reply.cut
    assert [call.id for call in reply.calls] == ["a"]
