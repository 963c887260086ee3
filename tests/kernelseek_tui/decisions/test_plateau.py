import pytest

from kernelseek_tui.decisions.plateau import Plateau, dry_limit
from kernelseek_tui.decisions.watch import Watch
from tests.kernelseek_tui.decisions.told import Told


def test_the_prior_is_one_gain_in_six() -> None:
    assert dry_limit([], 0.3) == 7
    assert dry_limit([], 0.05) == 17


def test_a_fast_run_is_asked_sooner_and_a_slow_one_later() -> None:
    assert dry_limit([1, 1, 1, 1], 0.3) < 7 < dry_limit([12, 15, 10], 0.3)


def test_known_gaps_hold_the_limit_up() -> None:
    gaps = [1, 1, 1, 1, 1, 1, 26, 26]
    assert dry_limit(gaps, 0.05) >= 26


@pytest.mark.parametrize("alpha", [0.3, 0.05])
def test_the_limit_is_the_quantile_it_says(alpha: float) -> None:
    limit = dry_limit([], alpha)
    assert (5 / 6) ** limit <= alpha < (5 / 6) ** (limit - 1)


def test_asks_after_a_dry_spell_and_again_more_strongly() -> None:
    told = Told(Plateau())
    first = told.evaluation(1.0)
    for _ in range(6):
        told.evaluation(1.001)
    assert told.findings == []
    seventh = told.evaluation(1.001)
    (finding,) = told.findings
    assert [evidence.event for evidence in finding.evidence] == [seventh, first]
    assert finding.evidence[1].quote.startswith("last gain: ")
    assert "7 evaluations without a gain" in finding.reason
    for _ in range(10):
        told.evaluation(1.001)
    assert told.findings[-1].confidence > finding.confidence


def test_a_gain_needs_an_interval_clear_of_the_old_best() -> None:
    told = Told(Plateau())
    told.evaluation(1.0, low=0.99)
    for step in range(7):
        told.evaluation(1.05 - step / 1000, low=0.98)
    assert len(told.findings) == 1
    told.evaluation(1.05, low=1.02)
    for _ in range(3):
        told.evaluation(1.05, low=1.02)
    assert len(told.findings) == 1


def test_the_same_candidate_again_is_no_dry_evaluation() -> None:
    told = Told(Plateau())
    for _ in range(12):
        told.evaluation(1.0, sha="same")
    assert told.findings == []


def test_another_set_begins_anew() -> None:
    told = Told(Plateau())
    for index in range(14):
        told.evaluation(1.0, scenario_set="demo" if index < 6 else f"set{index // 5}")
    assert told.findings == []


def test_subsets_between_do_not_hide_a_plateau() -> None:
    told = Told(Plateau())
    for index in range(8):
        told.evaluation(1.0)
        told.evaluation(1.5 + index, scenario_set="demo: one family")
    assert len(told.findings) == 1


def test_failed_builds_do_not_count() -> None:
    told = Told(Plateau())
    told.evaluation(1.0)
    for _ in range(12):
        told.evaluation(None)
    assert told.findings == []


def test_flat_while_unequal_names_the_laggards() -> None:
    told = Told(Plateau())
    ratios = {"hd64": 2.0, "hd128": 2.1, "hd96": 0.3}
    told.evaluation(1.1, ratios=ratios)
    told.evaluation(1.1, ratios=ratios)
    told.evaluation(1.1, ratios=ratios)
    assert told.findings == []
    told.evaluation(1.1, ratios=ratios)
    (finding,) = told.findings
    assert "hd96" in finding.reason
    assert "hd128" not in finding.reason


def test_flat_and_equal_is_left_alone() -> None:
    told = Told(Plateau())
    for _ in range(5):
        told.evaluation(1.1, ratios={"a": 1.0, "b": 1.2})
    assert told.findings == []


def test_a_met_goal_is_no_plateau() -> None:
    told = Told(Plateau())
    for _ in range(9):
        told.goal(True)
        told.evaluation(2.0)
    assert told.findings == []


def test_printed_scores_stand_in_where_nothing_was_evaluated() -> None:
    told = Told(Plateau())
    for _ in range(4):
        told.run("./evaluate attn.cu", "correct 40/40   worst 0.01x   geomean 0.44x")
    (finding,) = told.findings
    assert "worst 0.01x" in finding.reason
    assert finding.evidence[0].quote.endswith("geomean 0.44x")


def test_printed_times_and_files_are_no_scores() -> None:
    told = Told(Plateau())
    for _ in range(20):
        told.run("./bench", "geomean time 4.1 ms")
        told.run("./bench", "geomean 4.1 us")
        told.run("cat results.txt", "geomean 0.44x")
    assert told.findings == []


def test_a_wrong_evaluation_is_dry_but_names_no_laggard() -> None:
    told = Told(Plateau())
    told.evaluation(1.1, ratios={"a": 2.0, "b": 0.6})
    for _ in range(6):
        told.evaluation(0.0, ratios={"a": 2.0, "b": 0.2})
    assert told.findings == []
    told.evaluation(0.0, ratios={"a": 2.0, "b": 0.2})
    assert "7 evaluations without a gain" in told.findings[0].reason


def test_a_new_highest_score_is_never_called_a_stall() -> None:
    told = Told(Plateau())
    for step in range(30):
        told.evaluation(1.0 + step / 10_000)
    assert told.findings == []
    told.evaluation(1.001)
    assert len(told.findings) == 1


def test_a_fast_run_is_given_three_evaluations_at_least() -> None:
    told = Told(Plateau())
    for step in range(12):
        told.evaluation(1.1**step)
    assert dry_limit([1] * 11, 0.3) < 3
    for _ in range(2):
        told.evaluation(1.0)
    assert told.findings == []
    told.evaluation(1.0)
    assert "3 evaluations without a gain" in told.findings[0].reason


def test_a_stall_that_waits_for_a_command_is_dropped_by_a_new_highest_score() -> None:
    told = Told(watch=Watch([Plateau()]))
    told.evaluation(1.0)
    for _ in range(6):
        told.evaluation(1.001)
    told.call("kernelseek evaluate", "c")
    told.evaluation(1.001)
    told.evaluation(1.002)
    told.result(call="c")
    assert told.points == []
