"""What counts as a score where nobody judged: recognised evaluations, else printed numbers."""

from typing import Any

from kernelseek_tui.decisions.scores import Score, score_of
from sessions import events as ev
from sessions.state import SessionState


def parsed(**changes: Any) -> ev.Evaluation:
    given = {
        "id": "e",
        "evaluation": "e",
        "source_kind": "parsed",
        "status": "PARSED",
        "geomean": 1.5,
        "detail": "correct 4/4   worst 0.80x   geomean 1.50x",
    }
    return ev.Evaluation(**{**given, **changes})


def scores(*events: ev.AnyEvent) -> list[Score]:
    state, found = SessionState(), []
    for event in events:
        state.apply(event)
        if (score := score_of(state, event)) is not None:
            found.append(score)
    return found


def test_a_recognised_evaluation_is_a_score_with_its_worst_scenario() -> None:
    (score,) = scores(parsed())
    assert (score.value, score.worst) == (1.5, 0.8)
    assert score.quote.startswith("1.5x (correct 4/4")


def test_a_subagents_benchmark_and_a_mere_check_are_none() -> None:
    assert scores(parsed(agent="a"), parsed(status="CORRECT", geomean=None)) == []


def test_printed_numbers_count_until_an_evaluation_has_a_score() -> None:
    call = ev.ToolCall(id="c", call="c", tool="Bash", input={"command": "python run.py"})
    output = ev.ToolResult(id="r", call="c", output="geomean: 1.2")
    check = parsed(status="CORRECT", geomean=None)
    assert [score.value for score in scores(call, check, output)] == [1.2]
    assert [score.value for score in scores(call, parsed(), output)] == [1.5]
