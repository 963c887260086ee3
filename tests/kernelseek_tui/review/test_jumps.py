from kernelseek_tui.review.curve import Mark, Origin
from kernelseek_tui.review.jumps import LARGE, Jump, jumps
from kernelseek_tui.review.messages import messages
from kernelseek_tui.review.review import Review
from sessions import events as ev
from sessions.vocabulary import Act, Category, Layer
from tests.kernelseek_tui.review.followed import Followed

QUESTION = "What configs bring the geomean down?"


def _jumps(told: Followed) -> list[Jump]:
    return jumps(told.state, told.review.scores.series(told.state), messages(told.state))


def test_a_gain_is_traced_to_the_message_before_it() -> None:
    told = Followed()
    told.human("Make k.cu as fast as you can.")
    told.evaluation(1.0)
    told.run("ncu ./bench", "")
    told.human(QUESTION)
    told.run("nsys profile ./bench", "")
    told.run("nsys stats", "")
    told.evaluation(1.05)
    told.evaluation(2.0)
    (jump,) = _jumps(told)
    assert (jump.before.value, jump.after.value) == (1.05, 2.0)
    assert jump.message is not None
    assert (jump.message.text, jump.message.act) == (QUESTION, Act.QUESTION)
    assert jump.message.category == Category.GAP_TRIAGE
    assert not jump.opening
    assert jump.after_question
    assert (jump.layer_before, jump.layer_after, jump.moved_to) == (Layer.KERNEL, Layer.HOST, (Layer.HOST,))
    assert jump.across_layers
    assert jump.measurements == 1


def test_the_task_is_named_as_what_it_is() -> None:
    told = Followed()
    told.human("Make k.cu as fast as you can.")
    told.evaluation(1.0)
    told.evaluation(1.5)
    (jump,) = _jumps(told)
    assert jump.opening


def test_no_message_before_is_no_attribution() -> None:
    told = Followed()
    told.evaluation(1.0)
    told.evaluation(1.5)
    (jump,) = _jumps(told)
    assert jump.message is None
    assert not jump.after_question


def test_small_gains_wrong_ones_and_overlapping_intervals_are_no_jump() -> None:
    told = Followed()
    told.evaluation(1.0)
    told.evaluation(LARGE - 0.02)
    wrong = ev.Evaluation(id=told.next_id, evaluation="w", status="WRONG", exit_code=20, geomean=9.0)
    told.take(wrong)
    assert _jumps(told) == []


def test_an_asked_question_and_its_echo_are_one_message() -> None:
    told = Followed()
    told.asked(QUESTION)
    told.human(QUESTION)
    told.human("Something else.")
    found = messages(told.state)
    assert [(message.by, message.text) for message in found] == [
        ("bank", QUESTION),
        ("human", "Something else."),
    ]


def test_the_series_marks_what_is_wrong_and_ambiguous() -> None:
    told = Followed()
    rows = [
        {"geomean": 1.5, "low": 1.4, "high": 1.6, "noise_floor": 0.01, "exit_code": 0},
        {"geomean": 1.0, "low": 0.9, "high": 1.1, "noise_floor": 0.01, "exit_code": 0},
        {"geomean": float("nan"), "exit_code": 20},
    ]
    for row in rows:
        told.take(ev.Evaluation(id=told.next_id, evaluation="e", status="X", **row))
    series = told.review.scores.series(told.state)
    assert series.origin is Origin.JUDGE
    assert [point.mark for point in series.points] == [Mark.RIGHT, Mark.AMBIGUOUS, Mark.WRONG]
    assert series.points[2].value is None
    assert [point.value for point in series.bests()] == [1.5]


def test_printed_scores_stand_in_where_nothing_was_evaluated() -> None:
    told = Followed()
    told.run("./bench", "geomean: 0.44x")
    told.run("./bench", "geomean: 0.96x")
    series = told.review.scores.series(told.state)
    assert series.origin is Origin.PRINTED
    assert [point.value for point in series.points] == [0.44, 0.96]
    assert len(_jumps(told)) == 1


def test_an_empty_session_has_none() -> None:
    assert Review().scores.series(Followed().state).points == ()
