from datetime import UTC, datetime, timedelta

from kernelseek_tui.review.attention import Flag, attention
from kernelseek_tui.review.messages import messages
from kernelseek_tui.review.tally import IDLE_GAP, LONGEST_RUN, ActiveTime, tally
from kernelseek_tui.review.visits import layer_map, never_visited
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer
from tests.kernelseek_tui.review.followed import Followed

START = datetime(2026, 11, 29, tzinfo=UTC)


def _at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def _active(*events: ev.AnyEvent) -> ActiveTime:
    state, time = SessionState(), ActiveTime()
    for event in events:
        state.apply(event)
        time.take(state, event)
    return time


def _text(seconds: float | None) -> ev.AgentText:
    return ev.AgentText(id=f"t{seconds}", text="x", time=None if seconds is None else _at(seconds))


def test_idle_gaps_are_left_out_of_the_active_time() -> None:
    time = _active(_text(0), _text(60), _text(60 + IDLE_GAP + 1), _text(None), _text(90 + IDLE_GAP))
    assert time.wall == 90 + IDLE_GAP
    assert time.active == 60 + 29


def test_a_long_run_counts_and_a_lost_one_only_so_far() -> None:
    call = ev.ToolCall(id="c", call="c", tool="Bash", input={"command": "make"}, time=_at(0))
    done = ev.ToolResult(id="r", call="c", output="", time=_at(1200))
    assert _active(call, done).active == 1200
    assert _active(call, _text(10 * LONGEST_RUN)).active == LONGEST_RUN


def test_older_and_zoneless_times_are_taken() -> None:
    naive = ev.AgentText(id="n", text="x", time=datetime(2026, 11, 29, 0, 1))
    time = _active(_text(30), _text(0), naive)
    assert (time.wall, time.active) == (30, 30)
    assert ActiveTime().wall is None


def test_what_was_run_is_counted_by_kind() -> None:
    told = Followed()
    for command in ("make", "nvcc k.cu && ./bench", "ncu ./bench", "cuobjdump a", "nsys profile x", "ls"):
        told.run(command)
    told.take(ev.Subagent(id="a", subagent="a", phase="started"))
    told.take(ev.Subagent(id="b", subagent="a", phase="ended"))
    told.evaluation(1.0)
    found = tally(told.state, told.review.time)
    assert found.tool_calls == 6
    assert (found.builds, found.benchmark_runs, found.profiler_runs) == (2, 1, 1)
    assert (found.disassemblies, found.host_traces, found.subagents) == (1, 1, 1)
    assert (found.evaluations, found.judged) == (1, 1)
    assert found.by_kind[Activity.READ] == 1
    assert found.by_tool == {"Bash": 6}
    assert found.wall is None


def test_the_layer_map_tells_measured_from_touched_and_never() -> None:
    told = Followed()
    told.run("make")
    told.run("ncu ./bench")
    rows = {row.layer: row for row in layer_map(told.state)}
    assert list(rows) == list(Layer)
    assert rows[Layer.BUILD].how == "only read or edited"
    assert rows[Layer.KERNEL].how == "measured"
    assert rows[Layer.HOST].how == "never visited"
    assert rows[Layer.ROUTING].how == "no sign of it is known"
    first = rows[Layer.KERNEL].first
    assert first is not None
    assert first.index == 2
    assert Layer.HOST in never_visited(told.state)
    assert Layer.ROUTING not in never_visited(told.state)


def test_attention_is_the_wait_from_the_first_flag_to_a_person() -> None:
    told = Followed()
    told.take(ev.HumanMessage(id="h0", text="the task", time=_at(0)))
    told.says("a")
    told.says("b")
    told.take(ev.HumanMessage(id="h1", text="two words", time=_at(100)))
    told.says("c")
    told.take(ev.QuestionAsked(id="q", questioner="bank", text="And?", time=_at(200)))
    told.says("d")
    flags = [Flag(2, _at(50)), Flag(1, _at(40)), Flag(4, _at(150)), Flag(6, _at(300))]
    found = attention(flags, messages(told.state))
    assert (found.messages, found.words) == (1, 2)
    assert found.waits == (60.0,)
    assert found.unanswered == 1


def test_without_times_there_is_no_wait() -> None:
    told = Followed()
    told.human("task")
    told.human("more")
    found = attention([Flag(0)], messages(told.state))
    assert (found.waits, found.median_wait) == ((), None)


def test_a_benchmark_run_measures_the_benchmark_and_not_the_build() -> None:
    told = Followed()
    told.run("make && python bench.py")
    told.run("python bench.py")
    rows = {row.layer: row for row in layer_map(told.state)}
    assert (rows[Layer.BENCHMARK].how, rows[Layer.BENCHMARK].measured) == ("measured", 2)
    assert rows[Layer.BENCHMARK].first is not None
    assert rows[Layer.BUILD].how == "only read or edited"
    assert Layer.BENCHMARK not in never_visited(told.state)
    assert tally(told.state, told.review.time).benchmark_runs == rows[Layer.BENCHMARK].measured
