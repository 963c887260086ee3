"""Ratios, times and shares of peak in what benchmark runs print."""

import pytest

from tests.sessions.recognisers.outputs import MARKDOWN, SPEEDUPS, TABLE, VARIANTS, evaluation, evaluations


def test_variants_a_line_each() -> None:
    found = evaluation(VARIANTS)
    assert (found.status, found.geomean, found.baseline) == ("PARSED", 0.06, "peak")
    assert (found.id, found.parent, found.source_kind, found.counts) == ("r.e", "r", "parsed", False)
    assert [(one.id, one.ratio, one.candidate_ns) for one in found.scenarios] == [
        ("shape=0", 0.04, 24_000),
        ("shape=1", 0.09, 20_000),
    ]
    assert found.scenarios[0].bound_ns == 960
    assert "eager 0.048 ms" in found.scenarios[0].detail
    assert "22.0 gbps" in found.scenarios[0].detail


def test_speedups_with_both_times() -> None:
    found = evaluation(SPEEDUPS)
    assert found.geomean == pytest.approx(6)
    assert found.baseline == "baseline"
    assert [(one.ratio, one.baseline_ns, one.candidate_ns) for one in found.scenarios] == [
        (4.0, 8e6, 2e6),
        (9.0, 9e6, 1e6),
    ]
    assert found.scenario_set == "benchmark.py, 2 rows"


def test_a_share_of_peak_that_is_the_mean_of_speedups_is_one_over_their_baseline() -> None:
    assert evaluation(SPEEDUPS + "peak_fraction: 6.0000\n").baseline == "baseline"
    assert evaluation("peak_fraction: 6.0000\n").baseline == "peak"


@pytest.mark.parametrize(
    "command",
    [
        "python benchmark.py | tail -2",
        "python benchmark.py | head -n 2",
        "python benchmark.py | grep speedup",
    ],
)
def test_rows_that_may_not_be_all_have_no_mean(command: str) -> None:
    found = evaluation(SPEEDUPS, command)
    assert found.geomean is None
    assert len(found.scenarios) == 2


def test_a_tail_longer_than_the_output_cuts_nothing() -> None:
    assert evaluation(SPEEDUPS, "python benchmark.py 2>&1 | tail -20").geomean == pytest.approx(6)


@pytest.mark.parametrize("mark", ["… +3 more lines", "[stdout (9000 chars) — TRUNCATED", "..."])
def test_a_cut_output_has_no_mean(mark: str) -> None:
    assert evaluation(SPEEDUPS + mark + "\n").geomean is None


def test_a_crash_in_the_middle_has_no_mean() -> None:
    assert evaluation(SPEEDUPS + "Traceback (most recent call last):\n").geomean is None


def test_a_table_with_empty_cells() -> None:
    found = evaluation(TABLE)
    assert found.status == "WRONG"
    assert found.geomean is None
    assert (found.correct, found.total) == (2, 3)
    assert [(one.id, one.status) for one in found.scenarios] == [
        ("hd64_prefill", "CORRECT"),
        ("hd128_decode", "CORRECT"),
        ("hd128_sink", "WRONG"),
    ]
    assert all(one.ratio is None for one in found.scenarios)
    assert found.scenarios[1].baseline_ns == 20_000


def test_a_table_of_right_rows() -> None:
    found = evaluation("\n".join(TABLE.splitlines()[:3]))
    assert found.status == "CORRECT"
    assert [one.ratio for one in found.scenarios] == [0.94, 2.0]
    assert found.geomean == pytest.approx((0.94 * 2.0) ** 0.5)


def test_markdown() -> None:
    found = evaluation(MARKDOWN)
    assert found.geomean == pytest.approx((2 * 9) ** 0.5)
    assert [one.id for one in found.scenarios] == ["shape=128x128", "shape=256x256"] or [
        one.id for one in found.scenarios
    ] == ["128x128", "256x256"]
    assert found.baseline == "torch"


def test_a_table_with_a_row_that_cannot_be_read_has_no_mean() -> None:
    assert evaluation(MARKDOWN + "| 512x512 | 9.0 | 3.0 | 3.00x | again | 1 |\n").geomean is None


def test_a_bare_ratio_counts_only_the_way_round_that_its_times_say() -> None:
    header = "name  ref us  cand us  ratio\n"
    assert evaluation(header + "a     10.0    5.0      0.50\n").scenarios[0].ratio == 2.0
    assert evaluation(header + "a     10.0    5.0      3.00\n").scenarios[0].ratio == pytest.approx(2.0)
    assert evaluations("name  ratio\na     0.50\n") == []


def test_a_ratio_of_two_printed_times() -> None:
    found = evaluation("torch: 1.2 ms\ntriton: 0.8 ms\n")
    assert found.geomean == pytest.approx(1.5)
    assert found.baseline == "torch"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("baseline=0.50 ms ours=1.00 ms speedup=-2.00x", "printed -2.00x, the times give 0.50x"),
        ("baseline=0.50 ms ours=1.00 ms speedup=2.00x", "printed 2.00x, the times give 0.50x"),
        ("baseline=1.00 ms ours=0.50 ms speedup=7.00x", "printed 7.00x, the times give 2.00x"),
        ("torch=1.00 ms ours=0.50 ms 7.00x speedup over pytorch", "printed 7.00x, the times give 2.00x"),
        ("torch=1.00 ms ours=0.50 ms speedup=nanx", "printed nanx, the times give 2.00x"),
        ("torch=1.00 ms ours=0.50 ms speedup=0.00x", "printed 0.00x, the times give 2.00x"),
    ],
)
def test_a_ratio_that_its_times_contradict_is_none(row: str, said: str) -> None:
    found = evaluation(f"shape=a {row}\nshape=b baseline=1.00 ms ours=0.50 ms speedup=2.00x\n")
    assert [one.ratio for one in found.scenarios] == [None, 2.0]
    assert found.scenarios[0].detail.startswith(said)
    assert found.detail == said
    assert found.geomean is None


def test_a_printed_mean_of_rows_that_contradict_themselves_does_not_count() -> None:
    times = "baseline=1.00 ms ours=0.50 ms"
    found = evaluation(f"shape=a {times} speedup=7.00x\nshape=b {times} speedup=2.00x\ngeomean 3.74x\n")
    assert found.geomean is None
    assert "its 3.74x does not count" in found.detail


@pytest.mark.parametrize(
    "row",
    [
        "baseline=1.0 ms ours=0.6 ms speedup=1.60x",
        "baseline=0.02 ms ours=0.01 ms speedup=1.50x",
        "baseline=1.00 ms ours=0.51 ms speedup=2x",
        "torch=1.00 ms ours=0.50 ms speedup over cublas: 7.00x",
    ],
)
def test_rounding_in_print_and_a_baseline_that_is_not_printed_contradict_nothing(row: str) -> None:
    found = evaluation(f"shape=a {row}\n")
    assert found.scenarios[0].ratio is not None
    assert found.geomean is not None
    assert found.detail == ""


@pytest.mark.parametrize("figure", ["nanx", "-nan", "inf", "-2.00x", "0.00x"])
def test_a_row_whose_ratio_is_none_leaves_no_mean_of_the_others(figure: str) -> None:
    found = evaluation(f"shape=a speedup=1.50x\nshape=b speedup={figure}\nshape=c speedup=2.00x\n")
    assert [one.ratio for one in found.scenarios] == [1.5, None, 2.0]
    assert found.geomean is None
    assert found.scenarios[1].detail == f"printed {figure}, which is no ratio"
    assert evaluations(f"shape=b speedup={figure}\n") == []


def test_a_negative_figure_before_its_word_is_no_ratio_either() -> None:
    found = evaluation("shape=a 1.50x speedup\nshape=b -2.00x speedup\nshape=c 2.00x speedup\n")
    assert [one.ratio for one in found.scenarios] == [1.5, None, 2.0]
    assert found.geomean is None


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("nan | nan | nanx", "printed nanx, which is no ratio"),
        ("1.0 | 2.0 | -2.00x", "printed -2.00x, the times give 0.50x"),
        ("1.0 | 2.0 | 2.00x", "printed 2.00x, the times give 0.50x"),
    ],
)
def test_a_table_row_whose_ratio_is_none(cells: str, said: str) -> None:
    found = evaluation(f"{MARKDOWN}| 64x64 | {cells} |\n| 32x32 | 3.0 | 1.0 | 3.00x |\n")
    assert [one.ratio for one in found.scenarios] == [2.0, 9.0, None, 3.0]
    assert found.scenarios[2].detail == said
    assert found.geomean is None


@pytest.mark.parametrize("command", ["python benchmark.py --help", "cd b && python benchmark.py -h"])
def test_help_measures_nothing(command: str) -> None:
    assert evaluations("copy: 0.5 ms peak bandwidth 120%\n", command) == []
    assert evaluations("copy: 0.5 ms peak bandwidth 120%\n", f"{command}; python benchmark.py") != []


def test_a_mean_in_json() -> None:
    assert evaluation('{"geomean":1.7,"cases":[{"a":1},{"b":2}]}\n').geomean == 1.7
    assert evaluation('{"n": 2, "geomean_speedup": 1.7}\n').geomean == 1.7
    assert evaluations('{"geomean ms":1.7,"cases":[]}\n') == []


def test_slower_is_below_one() -> None:
    assert evaluation("n=1: ours 2.0 ms, 2.00x slower\n").scenarios[0].ratio == 0.5


def test_a_sweep_has_times_and_no_score() -> None:
    found = evaluation(
        "BM= 64 BN=128 NW=4 NS=3 | 1.464 ms | 23.5 TFLOPS\nBM=128 BN= 64 NW=4 NS=3 | 0.803 ms | 42.8 TFLOPS\n"
    )
    assert found.geomean is None
    assert [one.candidate_ns for one in found.scenarios] == [1_464_000, 803_000]
    assert (found.correct, found.total) == (0, 0)


def test_bandwidth_and_share_of_peak() -> None:
    found = evaluation("copy 1GB: 0.50 ms 2.1 TB/s 88.0% of peak\ncopy 2GB: 1.00 ms 2.0 TB/s 84.0% of peak\n")
    assert [one.ratio for one in found.scenarios] == [0.88, 0.84]
    assert found.baseline == "peak"


@pytest.mark.parametrize(
    ("line", "geomean", "baseline"),
    [
        ("geomean speedup over cublas: 1.234x", 1.234, "cublas"),
        ("Geometric mean: 0.85", 0.85, ""),
        ("geo-mean = 2.5x faster", 2.5, ""),
        ("gmean: 2.0x slower", 0.5, ""),
    ],
)
def test_a_printed_mean(line: str, geomean: float, baseline: str) -> None:
    found = evaluation(line)
    assert (found.geomean, found.baseline) == (geomean, baseline)


@pytest.mark.parametrize(
    "text",
    [
        "geomean error 0.01",
        "geomean: 812 TFLOPS",
        "target geomean: 1.5x",
        "the geomean must exceed 1.2x",
        "forward geomean 1.2x\nbackward geomean 1.4x",
        "split-KV family geomean 0.85x",
        "geomean 0.00x (a wrong scenario makes it zero)",
        "min_speedup=1.5x",
        "expected speedup: 2.0x",
        "previous best speedup: 1.9x",
        "Installed 56 packages in 66 ms",
        "compiled in 12.5 ms\nwarmup 20 ms",
        "2026-01-01 10:00:00 step 3 ms=12.5",
        "max speedup 3.2x",
        "zoom 2.0x",
        "loss 0.5 accuracy 91.2%",
        "usage: bench.py [--speedup 1.0x]",
        'File "bench.py", line 3, in speedup 1.0x',
        "",
        "no numbers at all",
    ],
)
def test_what_is_no_measurement(text: str) -> None:
    assert evaluations(text) == []


@pytest.mark.parametrize("text", ["geomean latency: 1.23 ms", "mean time: 12 us"])
def test_a_mean_of_times_is_a_time(text: str) -> None:
    found = evaluation(text)
    assert found.geomean is None
    assert [one.ratio for one in found.scenarios] == [None]
    assert found.scenarios[0].candidate_ns


def test_of_two_means_the_one_of_all_counts() -> None:
    assert evaluation("forward geomean 1.2x\noverall geomean 1.4x\n").geomean == 1.4
    assert evaluation("part geomean 0.85x\ncorrect 26/26   worst 0.80x   geomean 1.01x\n").geomean == 1.01


def test_an_average_is_no_geometric_mean() -> None:
    found = evaluation("average speedup: 1.50x\n")
    assert found.geomean is None
    assert [one.ratio for one in found.scenarios] == [1.5]
