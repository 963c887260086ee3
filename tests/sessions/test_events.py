"""The event union: what is written is what is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sessions import events as ev
from tests.sessions.strategies import EVENTS


@given(EVENTS)
def test_round_trip(event: ev.AnyEvent) -> None:
    if not (isinstance(event, ev.UnknownEvent) and event.kind == "agent_text"):
        line = ev.dump_event(event)
        assert "\n" not in line
        assert ev.parse_event(line) == event


@given(st.text(max_size=50))
def test_any_text_is_one_line(text: str) -> None:
    line = ev.dump_event(ev.AgentText(id="x", text=text))
    assert "\n" not in line
    assert ev.parse_event(line.encode()) == ev.AgentText(id="x", text=text)


@pytest.mark.parametrize("model", ev.KNOWN)
def test_a_null_in_a_file_is_an_absent_field(model: type[ev.Event]) -> None:
    """Fields that may be None are left out when written, so each must do without."""
    needed = [name for name, field in model.model_fields.items() if field.is_required()]
    for name in needed:
        assert type(None) not in getattr(model.model_fields[name].annotation, "__args__", ()), name


def test_a_field_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValidationError):
        ev.parse_event(json.dumps({"kind": "note", "id": "1", "text": "x", "extra": 1}))
