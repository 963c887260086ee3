"""What stands in a benchmark's output, by its mapping."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.own_benchmark.declared import Command, JsonMapping
from kernelseek_tui.own_benchmark.reading import Unreadable, read_output
from sessions import events as ev

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def command(**mapping: Any) -> Command:
    return Command.model_validate({"command": "python bench.py", **mapping})


def read(made: Command, text: str, *, cut: bool = False) -> ev.Evaluation:
    return read_output(made, text, name="one", time=NOW, seconds=2.5, cut=cut).evaluation


TIMES = {
    "rows": "results",
    "id": "name",
    "candidate": "ms",
    "baseline": "ref",
    "correct": "ok",
    "over": "main",
}


def test_times_in_a_list_of_objects_become_ratios_over_what_the_mapping_says() -> None:
    rows = [{"name": "a", "ms": 2, "ref": 5.0, "ok": True}, {"name": "b", "ms": 4, "ref": 4, "ok": "pass"}]
    made = read(command(json=TIMES), json.dumps({"results": rows}))
    assert [(one.id, one.ratio, one.candidate_ns, one.status) for one in made.scenarios] == [
        ("a", 2.5, 2e6, "CORRECT"),
        ("b", 1.0, 4e6, "CORRECT"),
    ]
    assert made.geomean == pytest.approx(2.5**0.5)
    assert (made.baseline, made.status, made.correct, made.total) == ("main", "CORRECT", 2, 2)
    assert (made.source_kind, made.counts, made.owner, made.record) == ("parsed", False, None, None)
    assert made.detail.startswith("Not judged: your own benchmark said so")
    assert (made.seconds, made.time) == (2.5, NOW)


def test_an_object_by_scenario_and_nested_keys() -> None:
    text = json.dumps({"decode": {"t": {"us": 10}, "x": 1.5}, "prefill": {"t": {"us": 20}, "x": 3}})
    made = read(command(json={"ratio": "x", "candidate": "t.us", "unit": "us"}), text)
    assert [(one.id, one.ratio, one.candidate_ns) for one in made.scenarios] == [
        ("decode", 1.5, 10_000.0),
        ("prefill", 3.0, 20_000.0),
    ]
    assert made.status == "PARSED"


def test_one_wrong_row_makes_it_wrong_and_no_mean_is_given() -> None:
    rows = [{"name": "a", "ms": 2, "ref": 5.0, "ok": True}, {"name": "b", "ms": 4, "ref": 4, "ok": False}]
    made = read(command(json=TIMES), json.dumps({"results": rows}))
    assert (made.status, made.geomean, made.correct) == ("WRONG", None, 1)


def test_the_last_line_that_is_a_document_is_read_where_more_was_printed() -> None:
    text = (
        'building [1/2]\n{"results": []}\n{"results": [{"name": "a", "ms": 1, "ref": 2, "ok": true}]}\ndone\n'
    )
    assert read(command(json=TIMES), text).scenarios[0].ratio == 2.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing here", "no JSON document"),
        ("[" * 100_000, "no JSON document"),
        ('{"results": 3}', "neither a list nor an object"),
        ('{"results": [{"other": 1}]}', "no row had the keys"),
        ('{"results": [1, null, "x"]}', "no row had the keys"),
        ('{"results": [{"name": "a", "ms": NaN, "ref": 1}]}', "no row had the keys"),
        ('{"results": [{"name": "a", "ms": true}]}', "no row had the keys"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read(command(json=TIMES), text)


def test_a_ratio_that_is_none_is_no_ratio() -> None:
    made = read(command(json={"ratio": "x", "candidate": "ms"}), '[{"x": -2, "ms": 1}, {"x": 0, "ms": 1}]')
    assert [one.ratio for one in made.scenarios] == [None, None]
    assert made.geomean is None


def test_a_pattern_reads_lines() -> None:
    pattern = {
        "name": "bench",
        "row": r"(?P<scenario>\S+) +(?P<candidate>[\d.]+) ms +(?P<baseline>[\d.]+) ms",
        "right": "all close",
    }
    made = read(command(pattern=pattern), "d64   2.0 ms   3.0 ms\nd128  4.0 ms   4.4 ms\nall close\n")
    assert [one.id for one in made.scenarios] == ["d64", "d128"]
    assert made.scenarios[0].ratio == pytest.approx(1.5)
    assert made.status == "CORRECT"
    with pytest.raises(Unreadable, match=r"no line matched \[benchmark\.pattern\]"):
        read(command(pattern=pattern), "nothing")


def test_without_a_mapping_what_transcripts_show_is_recognised() -> None:
    table = "| shape | baseline (ms) | ours (ms) | speedup |\n|---|---|---|---|\n| a | 2.0 | 1.0 | 2.00x |\n"
    made = read(command(), table)
    assert made.scenarios[0].ratio == pytest.approx(2.0)
    with pytest.raises(Unreadable, match=r"benchmark\.json"):
        read(command(), "hello\n")


def test_an_output_that_was_cut_gives_no_mean() -> None:
    table = "| shape | baseline (ms) | ours (ms) | speedup |\n|---|---|---|---|\n| a | 2.0 | 1.0 | 2.00x |\n"
    assert read(command(), table).geomean is not None
    assert read(command(), table, cut=True).geomean is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(TIMES.values())), inner),
    max_leaves=12,
)


@given(values)
def test_any_document_is_read_or_refused(document: Any) -> None:
    try:
        made = read(command(json=TIMES), json.dumps({"results": document}))
    except Unreadable:
        return
    assert made.source_kind == "parsed"
    assert all(one.ratio is None or one.ratio > 0 for one in made.scenarios)


def test_a_mapping_that_reads_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one of"):
        JsonMapping(rows="x")


def notes(made: Command, text: str, *, cut: bool = False) -> str:
    return "\n".join(read_output(made, text, name="one", time=NOW, seconds=2.5, cut=cut).notes)


def test_nothing_is_left_out_in_silence() -> None:
    rows = [
        {"name": "a", "ms": 0, "ref": 3, "ok": True},
        {"name": "b", "ms": -1, "ref": 3},
        {"name": "d", "ms": 1.5, "ref": 3, "ok": "maybe"},
        {"name": "d", "ms": 1e-300, "ref": 1e300, "ok": True},
        {"name": "d", "ms": 2, "ref": 3, "ok": True},
        {"ms": 1, "ref": 2, "ok": True},
        7,
    ]
    made = command(json={**TIMES, "score": "summary.nope"})
    text = json.dumps({"results": rows})
    got = read(made, text)
    assert [(one.id, one.ratio) for one in got.scenarios] == [
        ("a", None),
        ("d", 2.0),
        ("d (2)", None),
        ("d (3)", 1.5),
        ("row 6", 2.0),
    ]
    said = notes(made, text)
    for words in (
        "summary.nope leads to no number",
        "2 of 7 rows: held no figure",
        "1 of 7 rows: have no `id` under name",
        "1 of 7 rows: have a `correct` under ok that is neither true nor false",
        "4 of 7 rows: times are no times",
        "2 of 7 rows: rows have the name of an earlier one",
    ):
        assert words in said


def test_a_mean_that_was_computed_is_said_to_be() -> None:
    rows = [{"name": "a", "ms": 2, "ref": 5.0, "ok": True}]
    assert "computed from the ratios" in notes(command(json=TIMES), json.dumps({"results": rows}))
    printed = json.dumps({"results": rows, "mean": 2.5})
    assert "computed" not in notes(command(json={**TIMES, "score": "mean"}), printed)
    table = "| shape | baseline (ms) | ours (ms) | speedup |\n|---|---|---|---|\n| a | 2.0 | 1.0 | 2.00x |\n"
    assert "its beginning was not read" in notes(command(), table, cut=True)
