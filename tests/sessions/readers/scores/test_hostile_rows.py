"""No row of any shape raises in a reader of scores."""

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.readers.formats import Format
from sessions.readers.lines import RawLine
from sessions.readers.scores import autoresearch, flashinfer, openevolve, operators
from sessions.state import SessionState
from tests.sessions.readers.scores.test_autoresearch import config, run
from tests.sessions.readers.scores.test_operators import row
from tests.sessions.readers.scores.test_traces import flashinfer as trace
from tests.sessions.readers.scores.test_traces import step
from tests.sessions.test_hostile_lines import ODD, places

GOOD: list[tuple[Format, list[dict[str, Any]]]] = [
    (operators.FORMAT, [row(timestamp=1.0, bottleneck="memory"), row(speedup="x")]),
    (autoresearch.FORMAT, [config(), run(1, 2.0, timestamp=1), run(2, 1.0)]),
    (flashinfer.FORMAT, [trace("PASSED", latency_ms=1.0, reference_latency_ms=2.0, speedup_factor=2.0)]),
    (
        openevolve.FORMAT,
        [step(1, {"combined_score": 1.0}, {"combined_score": 2.0}, metadata={"changes": "x"})],
    ),
]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Format, list[dict[str, Any]]]:
    format_, good = draw(st.sampled_from(GOOD))
    entries = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 5))):
        entry = draw(st.sampled_from(entries))
        path = draw(st.sampled_from(places(entry) or [("x",)]))
        holder: Any = entry
        try:
            for key in path[:-1]:
                holder = holder[key]
            if draw(st.booleans()):
                holder[path[-1]] = copy.deepcopy(draw(ODD))
            else:
                del holder[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return format_, entries


@given(damaged())
@settings(max_examples=250, deadline=None)
def test_no_row_of_any_shape_raises(given_: tuple[Format, list[dict[str, Any]]]) -> None:
    format_, entries = given_
    reader, state = format_.reader(Path("x.jsonl"), None), SessionState()
    events = []
    for number, entry in enumerate(entries):
        events += reader.feed(RawLine(number, 0, json.dumps(entry).encode()))
    for event in events + reader.finish():
        state.apply(event)
    assert reader.account.balanced
    assert all(seen.event.geomean is None or seen.event.geomean > 0 for seen in state.evaluations)
    assert format_.row is not None
    for entry in entries:
        format_.row(entry)
