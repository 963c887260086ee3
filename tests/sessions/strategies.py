"""Random sessions for property tests: few names, so that ids collide and pair up."""

from hypothesis import strategies as st

from sessions import events as ev
from sessions.vocabulary import DecisionKind, GapClass

NAMES = st.sampled_from(["a", "b", "c", "d"])
AGENTS = st.sampled_from([None, None, None, "sub1", "sub2"])
COMMANDS = st.sampled_from(
    ["ncu ./x", "make", "cuobjdump x", "ls", "./bench", "nsys profile x", "nvcc k.cu && ncu x"]
)

_CALLS = st.one_of(
    st.builds(
        ev.ToolCall,
        id=st.just(""),
        call=NAMES,
        tool=st.just("Bash"),
        input=st.builds(lambda command: {"command": command}, COMMANDS),
        message=st.none() | NAMES,
        agent=AGENTS,
    ),
    st.builds(
        ev.ToolCall,
        id=st.just(""),
        call=NAMES,
        tool=st.just("Write"),
        input=st.builds(lambda name: {"file_path": f"{name}.cu", "content": "x"}, NAMES),
        message=st.none() | NAMES,
        agent=AGENTS,
    ),
)

EVENTS: st.SearchStrategy[ev.AnyEvent] = st.one_of(
    _CALLS,
    st.builds(ev.ToolResult, id=st.just(""), call=NAMES, output=NAMES, agent=AGENTS),
    st.builds(ev.AgentText, id=st.just(""), text=NAMES, message=st.none() | NAMES, agent=AGENTS),
    st.builds(ev.Thinking, id=st.just(""), text=NAMES, message=NAMES, agent=AGENTS),
    st.builds(ev.HumanMessage, id=st.just(""), text=NAMES),
    st.builds(
        ev.Usage,
        id=st.just(""),
        message=st.none() | NAMES,
        input_tokens=st.integers(0, 9),
        cost_usd=st.none() | st.sampled_from([0.5, 0.25]),
    ),
    st.builds(ev.Subagent, id=st.just(""), subagent=NAMES, phase=st.sampled_from(["started", "ended"])),
    st.builds(ev.Edit, id=st.just(""), path=NAMES, candidate=st.booleans()),
    st.builds(
        ev.Evaluation,
        id=st.just(""),
        evaluation=NAMES,
        status=st.sampled_from(["CORRECT", "WRONG"]),
        exit_code=st.sampled_from([None, 0, 10, 20]),
        geomean=st.none() | st.floats(0.1, 4),
        correct=st.integers(0, 2),
        total=st.integers(0, 2),
    ),
    st.builds(ev.GoalVerdict, id=st.just(""), met=st.none() | st.booleans()),
    st.builds(
        ev.GapClassified,
        id=st.just(""),
        scenarios=st.builds(lambda *names: names, NAMES, NAMES),
        gap=st.sampled_from(GapClass),
        measured=st.just("x"),
    ),
    st.builds(
        ev.DecisionPoint,
        id=st.just(""),
        decision=st.sampled_from(DecisionKind),
        evidence=st.just(()),
        confidence=st.just(0.5),
        reason=NAMES,
    ),
    st.builds(ev.SessionStarted, id=st.just(""), session=NAMES, agent_name=NAMES, rehearsed=st.booleans()),
    st.builds(ev.SessionEnded, id=st.just(""), reason=NAMES),
    st.builds(ev.Note, id=st.just(""), text=NAMES),
    st.builds(ev.ReaderProblem, id=st.just(""), line=st.integers(0, 9), what=NAMES),
    st.builds(ev.UnknownEvent, kind=st.sampled_from(["new_kind", "agent_text"]), id=st.just("")),
)

SESSIONS = st.lists(EVENTS, max_size=40).map(
    lambda events: [event.model_copy(update={"id": f"e{n}"}) for n, event in enumerate(events)]
)
