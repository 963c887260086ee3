from kernelseek_tui.review.curve import Origin, Scores
from kernelseek_tui.review.next_gain import NextGains
from sessions import events as ev
from sessions.vocabulary import Layer
from tests.kernelseek_tui.decisions.told import Told


class _Followed(Told):
    """A session told in a few words, with gains looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.gains = NextGains()
        self.scores = Scores()

    def take(self, event: ev.AnyEvent) -> str:
        made = super().take(event)
        self.gains.take(self.state, event)
        self.scores.take(self.state, event)
        return made

    def after(self, index: int) -> tuple[Layer, int] | None:
        return self.gains.after(self.state, index)

    @property
    def now(self) -> int:
        return len(self.events) - 1

    def edits(self, path: str) -> None:
        call = f"k{len(self.events)}"
        self.take(
            ev.ToolCall(id=self.next_id, call=call, tool="Edit", input={"file_path": path, "new_string": "x"})
        )
        self.result("ok", call)

    def wrong(self, geomean: float) -> None:
        self.take(ev.Evaluation(id=self.next_id, evaluation="x", status="WRONG", geomean=geomean))


def test_the_layer_edited_most_up_to_the_next_gain() -> None:
    told = _Followed()
    told.evaluation(1.0)
    place = told.now
    told.run("nsys profile ./bench")
    told.run("nsys stats")
    told.edits("bench.py")
    told.edits("k.cu")
    told.edits("k.cu")
    told.evaluation(1.5)
    gain = told.now
    told.edits("bench.py")
    told.evaluation(3.0)
    assert told.after(place) == (Layer.KERNEL, gain)
    assert told.after(gain) == (Layer.BENCHMARK, told.now)
    assert told.after(told.now) is None


def test_without_an_edit_the_layer_visited_most() -> None:
    told = _Followed()
    told.evaluation(1.0)
    place = told.now
    told.run("make")
    told.run("python bench.py")
    told.run("python bench.py")
    told.run("nsys profile ./bench")
    told.evaluation(1.5)
    found = told.after(place)
    assert found is not None
    assert found[0] is Layer.HOST


def test_an_edit_of_the_candidate_that_no_call_shows_is_one_of_the_kernel() -> None:
    told = _Followed()
    told.evaluation(1.0)
    place = told.now
    told.edit()
    told.run("nsys profile ./bench")
    told.evaluation(1.5)
    assert told.after(place) == (Layer.KERNEL, told.now)


def test_noise_and_wrong_results_are_no_gain() -> None:
    told = _Followed()
    told.evaluation(1.0)
    place = told.now
    told.edits("k.cu")
    told.evaluation(1.01)
    told.edits("k.cu")
    told.wrong(9.0)
    assert told.after(place) is None
    told.edits("k.cu")
    told.evaluation(1.2)
    assert told.after(place) == (Layer.KERNEL, told.now)


def test_getting_back_to_the_best_is_no_gain() -> None:
    told = _Followed()
    told.evaluation(2.0)
    told.evaluation(1.0)
    place = told.now
    told.edits("k.cu")
    told.evaluation(1.9)
    assert told.after(place) is None


def test_the_first_result_is_no_gain_and_nothing_between_tells_no_layer() -> None:
    told = _Followed()
    told.human("Go.")
    told.edits("k.cu")
    told.evaluation(1.0)
    assert told.after(0) is None
    place = told.now
    told.evaluation(2.0)
    assert told.after(place) is None


def test_printed_figures_are_none() -> None:
    told = _Followed()
    told.run("python bench.py", "geomean speedup: 1.0x")
    place = told.now
    told.edits("k.cu")
    told.run("python bench.py", "geomean speedup: 2.0x")
    series = told.scores.series(told.state)
    assert series.origin is Origin.PRINTED
    assert [point.value for point in series.bests()] == [1.0, 2.0]
    assert told.after(place) is None
