"""A packed state says what the unpacked one says, at every moment and about every item."""

from collections.abc import Iterator

import pytest

from sessions import events as ev
from sessions.packed import BLOCK, PackedRun, PackedSeen
from sessions.state import SessionState, fold

STEPS = 3 * BLOCK


def story() -> Iterator[ev.AnyEvent]:
    yield ev.SessionStarted(id="s", session="s", agent_name="a", candidate="k.cu")
    for at in range(STEPS):
        yield ev.AgentText(id=f"t{at}", text=f"step {at} {'x' * 50}", message=f"m{at}")
        yield ev.ToolCall(id=f"c{at}", call=f"call{at}", tool="Bash", input={"command": f"cat {at}.txt"})
        if at % 7:  # the others get theirs late, or never
            yield ev.ToolResult(id=f"r{at}", call=f"call{at}", output=f"printed {at}")
        yield ev.Edit(id=f"e{at}", path="k.cu", diff=f"+{at}", candidate=at % 2 == 0)
        if at == BLOCK * 2 + 9:
            yield ev.ToolResult(id="late", call="call7", output="late")
    yield ev.ToolResult(id="early", call="never called", output="early")


def packed(events: list[ev.AnyEvent]) -> SessionState:
    state = SessionState()
    for event in events:
        state.apply(event)
        state.pack()
    return state


def test_a_packed_state_equals_the_plain_one() -> None:
    events = list(story())
    state, plain = packed(events), fold(events)
    assert state == plain
    assert plain == state
    kinds = {type(item) for item in state.tools}
    assert PackedRun in kinds
    assert {type(item) for item in state.texts[:BLOCK]} == {PackedSeen}
    assert state.candidate_edits == plain.candidate_edits
    assert state.running == plain.running


def test_the_newest_items_are_not_packed() -> None:
    state = packed(list(story()))
    assert not any(isinstance(item, PackedSeen) for item in state.texts[-BLOCK:])
    assert not any(isinstance(item, PackedRun) for item in state.tools[-BLOCK:])


def test_a_late_result_reaches_a_call_far_back() -> None:
    run = packed(list(story())).run_of("call7")
    assert run is not None
    assert run.result is not None
    assert run.result.output == "late"


@pytest.mark.parametrize("index", range(0, 5 * BLOCK, 37))
def test_looking_back_is_the_same(index: int) -> None:
    events = list(story())
    assert packed(events).as_of(index) == fold(events[: index + 1])


def test_an_item_that_differs_is_not_equal() -> None:
    events = list(story())
    state, plain = packed(events), fold(events)
    assert state.tools[1] != plain.tools[2]
    assert state.texts[1] != plain.texts[2]
    assert state.texts[1] != "text"
    assert state.tools[1] != "run"


def test_packed_events_take_a_fraction_of_the_room() -> None:
    state = packed([ev.AgentText(id=f"t{at}", text="the same words " * 100) for at in range(STEPS)])
    item = state.texts[0]
    assert isinstance(item, PackedSeen)
    assert item.block.size < BLOCK * 1_500 / 20
