"""The fold, and that looking back is the same as having stopped there."""

import pytest
from hypothesis import given, settings

from sessions import events as ev
from sessions.open_work import EVERY, OpenWork
from sessions.state import SessionState, fold
from sessions.vocabulary import Activity, GapClass, Layer
from tests.sessions.strategies import SESSIONS

PROPERTIES = (
    "rehearsed",
    "busy",
    "layers",
    "best",
    "goal",
    "candidate_edits",
    "measured",
    "running",
)


@given(SESSIONS)
@settings(max_examples=150, deadline=None)
def test_as_of_is_the_fold_up_to_there(events: list[ev.AnyEvent]) -> None:
    whole = fold(events)
    for index in range(len(events)):
        then, folded = whole.as_of(index), fold(events[: index + 1])
        assert then == folded
        for name in PROPERTIES:
            assert getattr(then, name) == getattr(folded, name), name
        for event in events:
            assert then.event_index(event.id) == folded.event_index(event.id)
        for call in "abcd":
            assert then.run_of(call) == folded.run_of(call)
    assert whole == fold(events)


@given(SESSIONS)
@settings(max_examples=50, deadline=None)
def test_looking_back_twice_is_looking_back_once(events: list[ev.AnyEvent]) -> None:
    whole = fold(events)
    for index in range(0, len(events), 3):
        assert whole.as_of(len(events)).as_of(index) == whole.as_of(index)


def call(name: str, command: str, message: str | None = None, agent: str | None = None) -> ev.ToolCall:
    return ev.ToolCall(
        id=name, call=name, tool="Bash", input={"command": command}, message=message, agent=agent
    )


def result(name: str) -> ev.ToolResult:
    return ev.ToolResult(id=f"r-{name}", call=name, output="ok")


def test_turns_are_replies_of_the_main_agent() -> None:
    state = fold(
        [
            ev.Thinking(id="1", text="x", message="m1"),
            ev.AgentText(id="2", text="x", message="m1"),
            call("3", "ls", "m1"),
            ev.AgentText(id="4", text="x", message="sub", agent="s"),
            ev.AgentText(id="5", text="no message"),
            ev.AgentText(id="6", text="no message either"),
            ev.AgentText(id="7", text="x", message="m2"),
            ev.AgentText(id="8", text="x", message="m1"),
        ]
    )
    assert state.turns == 4


def test_visits_come_from_the_tool_calls_of_all_agents() -> None:
    state = fold(
        [call("1", "ncu --set full ./k"), call("2", "nsys profile ./k", agent="s"), call("3", "ncu ./k")]
    )
    assert state.layers == {Layer.KERNEL: 2, Layer.MEMORY: 1, Layer.HOST: 1}
    assert [(visit.index, visit.layer) for visit in state.visits] == [
        (0, Layer.KERNEL),
        (0, Layer.MEMORY),
        (1, Layer.HOST),
        (2, Layer.KERNEL),
    ]
    assert state.tools[0].activity is Activity.PROFILE


def test_the_candidate_named_at_the_start_decides_what_a_kernel_edit_is() -> None:
    edit = ev.ToolCall(id="2", call="c", tool="Write", input={"file_path": "/w/mine.cpp", "content": "x"})
    started = ev.SessionStarted(id="1", session="s", agent_name="a", candidate="mine.cpp")
    assert fold([started, edit]).tools[0].activity is Activity.KERNEL_EDIT
    assert fold([edit]).tools[0].activity is Activity.OTHER_EDIT


def test_busy_while_a_call_or_a_subagent_runs() -> None:
    state = SessionState()
    steps: list[tuple[ev.AnyEvent, bool]] = [
        (call("a", "sleep 9", "m1"), True),
        (call("b", "sleep 9", "m1"), True),
        (result("b"), True),
        (result("a"), False),
        (ev.Subagent(id="s1", subagent="s", phase="started"), True),
        (ev.AgentText(id="t", text="meanwhile", message="m2"), True),
        (ev.Subagent(id="s2", subagent="s", phase="ended"), False),
    ]
    for event, busy in steps:
        state.apply(event)
        assert state.busy is busy, event


def test_a_call_that_the_next_reply_went_past_is_not_running() -> None:
    state = fold([call("a", "ls", "m1"), ev.AgentText(id="t", text="so", message="m2")])
    assert not state.busy
    assert state.tools[0].result is None
    late = fold([call("a", "ls", "m1"), ev.AgentText(id="t", text="so", message="m2"), result("a")])
    assert late.tools[0].result_index == 2
    assert late.as_of(1).tools[0].running


def test_nothing_runs_in_a_session_that_has_ended() -> None:
    ended = ev.SessionEnded(id="e", reason="killed")
    state = fold([call("a", "ls", "m1"), ev.Subagent(id="s", subagent="s", phase="started"), ended])
    assert not state.busy
    assert state.as_of(1).busy
    assert state.tools[0].running


def test_a_subagents_call_is_not_gone_past_by_the_main_agent() -> None:
    state = fold([call("a", "ls", "s1", agent="s"), ev.AgentText(id="t", text="so", message="m2")])
    assert state.busy


def test_a_result_before_its_call_is_paired() -> None:
    state = fold([result("a"), call("a", "ls")])
    assert state.tools[0].result_index == 0
    assert not state.busy
    assert len(state.early_results) == 1
    assert not state.as_of(0).tools


def test_usage_is_counted_once_a_reply() -> None:
    use = ev.Usage(id="1", message="m", input_tokens=5, cost_usd=0.5)
    rest = ev.Usage(id="3", input_tokens=1)
    state = fold([use, use.model_copy(update={"id": "2"}), rest, rest.model_copy(update={"id": "4"})])
    assert (state.spend.input_tokens, state.spend.cost_usd) == (7, 0.5)


def evaluation(name: str, geomean: float | None, **fields: object) -> ev.Evaluation:
    return ev.Evaluation.model_validate(
        {
            "id": name,
            "evaluation": name,
            "status": "CORRECT",
            "geomean": geomean,
            "correct": 4,
            "total": 4,
            **fields,
        }
    )


def test_best_is_correct_and_fastest() -> None:
    state = fold(
        [
            evaluation("slow", 1.1),
            evaluation("wrong", 9.0, status="WRONG", exit_code=20),
            evaluation("partial", 8.0, correct=3),
            evaluation("zero", 0.0),
            evaluation("none", None),
            evaluation("fast", 1.5, exit_code=10),
            evaluation("same", 1.5),
        ]
    )
    assert state.best is not None
    assert state.best.event.id == "fast"
    best = state.as_of(1).best
    assert best is not None
    assert best.event.id == "slow"


def test_gaps_and_goal_are_the_newest() -> None:
    first = ev.GapClassified(id="1", scenarios=("a", "b"), gap=GapClass.HOST, measured="x")
    second = ev.GapClassified(id="2", scenarios=("b",), gap=GapClass.KERNEL, measured="x")
    state = fold([first, second, ev.GoalVerdict(id="3", met=False), ev.GoalVerdict(id="4", met=True)])
    assert state.gaps == {"a": GapClass.HOST, "b": GapClass.KERNEL}
    assert state.as_of(0).gaps == {"a": GapClass.HOST, "b": GapClass.HOST}
    assert state.goal is not None
    assert state.goal.met


def test_a_past_state_cannot_be_advanced() -> None:
    past = fold([call("a", "ls")]).as_of(0)
    with pytest.raises(ValueError, match="cannot be advanced"):
        past.apply(result("a"))


def test_before_the_first_event() -> None:
    assert fold([call("a", "ls")]).as_of(-1) == SessionState()


def test_open_work_remembers_over_many_changes() -> None:
    work = OpenWork()
    now: set[int] = set()
    history = []
    for index in range(EVERY * 3 + 5):
        key = index * 7 % 50
        opened = key not in now
        (now.add if opened else now.discard)(key)
        work.mark(index, key, opened)
        history.append(frozenset(now))
    for index, then in enumerate(history):
        assert work.as_of(index).now == then
    assert not work.as_of(-1)


def test_open_work_that_never_ends_is_not_remembered_over_and_over() -> None:
    work = OpenWork()
    for index in range(EVERY * 64):  # a client that records no results
        work.mark(index, index, True)
    assert sum(map(len, work._kept)) <= 2 * EVERY * 64
    assert work.as_of(EVERY * 32 + 3).now == set(range(EVERY * 32 + 4))


@pytest.mark.parametrize(
    ("command", "output", "measured"),
    [
        ("python solve.py", "took 12.5 ms", True),
        ("python solve.py", "done", False),
        ("cat notes.txt", "took 12.5 ms", False),  # that it was measured once is told, not measured
    ],
)
def test_something_was_measured(command: str, output: str, measured: bool) -> None:
    printed = ev.ToolResult(id="r", call="c", output=output)
    assert fold([call("c", command), printed]).measured is measured
    assert fold([printed, call("c", command)]).measured is measured
    assert not fold([call("c", command)]).measured


def test_a_part_of_the_set_is_never_the_best_of_the_whole() -> None:
    def evaluated(number: int, mean: float, total: int) -> ev.Evaluation:
        return ev.Evaluation(
            id=f"e{number}",
            evaluation=str(number),
            scenario_set="demo",
            baseline="start",
            status="CORRECT",
            geomean=mean,
            total=total,
            correct=total,
        )

    state = fold([evaluated(1, 1.2, 4), evaluated(2, 9.0, 1), evaluated(3, 1.5, 4), evaluated(4, 8.0, 1)])
    assert state.best is not None
    assert state.best.event.id == "e3"
    assert [seen.event.id for seen in state.series] == ["e1", "e3"]


def test_a_permission_waits_until_it_is_answered_or_its_turn_or_session_is_over() -> None:
    def asked(name: str) -> ev.PermissionRequested:
        return ev.PermissionRequested(id=name, request=f"r-{name}", tool="Bash")

    state = fold([asked("a"), asked("b"), ev.PermissionAnswered(id="c", request="r-a", answer="allow")])
    assert [seen.event.id for seen in state.open_permissions] == ["b"]
    assert [seen.event.id for seen in state.as_of(1).open_permissions] == ["a", "b"]
    state.apply(ev.TurnEnded(id="d"))
    assert state.open_permissions == []
    state.apply(asked("a2"))
    assert [seen.event.id for seen in state.open_permissions] == ["a2"]
    state.apply(ev.SessionEnded(id="e", reason="the client died"))
    assert state.open_permissions == []
    assert [seen.event.id for seen in state.as_of(state.count - 2).open_permissions] == ["a2"]
    state.apply(ev.SessionStarted(id="f", session="s", agent_name="claude-code"))  # resumed
    assert state.open_permissions == []


def test_a_check_with_many_cases_is_no_series_of_scores() -> None:
    check = evaluation("e1", None, source_kind="parsed", correct=6, total=6, scenario_set="check.py")
    measured = evaluation("e2", 1.5, source_kind="parsed", correct=0, total=0, scenario_set="bench.py")
    judged = evaluation("e3", None, status="WRONG", correct=0, total=2)
    assert [seen.event.id for seen in fold([measured, check]).series] == ["e2"]
    assert [seen.event.id for seen in fold([measured, check, judged]).series] == ["e3"]
