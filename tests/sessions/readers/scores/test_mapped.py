"""Any CSV, TSV or JSONL by a mapping file."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers.scores.delimited import records
from sessions.readers.scores.mapped import MappedReader
from sessions.readers.scores.mapping import Mapping, load
from sessions.transcript import Transcript, open_transcript


def read(tmp_path: Path, mapping: str, text: str, name: str = "log.csv") -> Transcript:
    (tmp_path / "map.toml").write_text(mapping)
    (tmp_path / name).write_text(text)
    return open_transcript(tmp_path / name, mapping=tmp_path / "map.toml")


def ratios(transcript: Transcript) -> list[float | None]:
    return [event.geomean for event in transcript.events if isinstance(event, ev.Evaluation)]


LOWER = 'score = "ms"\ndirection = "lower"\nunit = "ms"\n'


def test_lower_over_the_first_row(tmp_path: Path) -> None:
    transcript = read(tmp_path, LOWER, "name,ms\na,10\nb,0\nc,5\nd,nan\n")
    assert ratios(transcript) == [1.0, None, 2.0, None]
    found = [event for event in transcript.events if isinstance(event, ev.Evaluation)]
    assert [one.status for one in found] == ["PARSED", "NOT_RUN", "PARSED", "NOT_RUN"]
    assert found[2].scenarios[0].candidate_ns == 5e6
    assert found[2].baseline == "the first measured row"


def test_series_correct_note_and_time(tmp_path: Path) -> None:
    mapping = LOWER + 'series = ["op"]\ncorrect = "ok"\ntime = "at"\nnote = "why"\nname = "id"\n'
    text = (
        "id,op,ms,ok,at,why\n"
        "1,a,10,true,2026-01-01T00:00:00,start\n2,b,100,True,1773348490,\n"
        '3,a,1,false,,"wrong, but\nfast"\n4,a,5,TRUE,,\n5,b,50,yes,,\n'
    )
    transcript = read(tmp_path, mapping, text)
    assert ratios(transcript) == [1.0, 1.0, None, 2.0, 2.0]
    found = [event for event in transcript.events if isinstance(event, ev.Evaluation)]
    assert [one.scenario_set for one in found] == ["a", "b", "a", "a", "b"]
    assert found[0].evaluation == "1"
    assert found[0].time is not None
    assert [event.text for event in transcript.events if isinstance(event, ev.Note)] == [
        "start",
        "wrong, but\nfast",
    ]


def test_a_ratio_a_column_of_the_baseline_and_a_row_of_it(tmp_path: Path) -> None:
    assert ratios(read(tmp_path, 'score = "x"\ndirection = "higher"\nratio = true\n', "x\n1.5\n0\n")) == [
        1.5,
        None,
    ]
    column = LOWER + 'baseline_column = "ref"\n'
    assert ratios(read(tmp_path, column, "ms,ref\n2,4\n2,0\n")) == [2.0, None]
    row = LOWER + '[baseline]\ncolumn = "who"\nvalue = "torch"\n'
    assert ratios(read(tmp_path, row, "who,ms\nus,1\ntorch,4\nus,2\n")) == [None, 1.0, 2.0]


def test_tsv_semicolons_and_json_with_dots(tmp_path: Path) -> None:
    assert ratios(read(tmp_path, LOWER, "name\tms\na\t2\nb\t1\n", "log.tsv")) == [1.0, 2.0]
    assert ratios(read(tmp_path, LOWER, "name;ms\na;2\nb;1\n", "log.txt")) == [1.0, 2.0]
    lines = "".join(json.dumps({"result": {"ms": value}}) + "\n" for value in (4, None, 1))
    mapping = LOWER.replace('"ms"', '"result.ms"', 1)
    transcript = read(tmp_path, mapping, lines, "log.jsonl")
    assert ratios(transcript) == [1.0, 4.0]
    assert transcript.unknown == {"row without result.ms": 1}


def test_a_column_that_is_not_there_is_said(tmp_path: Path) -> None:
    transcript = read(tmp_path, LOWER, "a,b\n1,2\n")
    assert [event.text for event in transcript.events if isinstance(event, ev.Note)] == [
        "No row has a column 'ms'."
    ]
    assert ratios(transcript) == []


def test_a_log_without_the_column_of_what_is_right_is_refused(tmp_path: Path) -> None:
    mapping = LOWER + 'correct = "ok"\n'
    with pytest.raises(RefusedInput, match=r"log\.csv has no column 'ok' in its first rows"):
        read(tmp_path, mapping, "name,ms\na,2\nb,1\n")
    lines = '{"ms": 4, "ok": true}\nnot json\n{"ms": 1}\n{"ms": 2, "ok": true}\n'
    transcript = read(tmp_path, mapping, lines, "log.jsonl")
    assert ratios(transcript) == [1.0, 2.0]
    assert transcript.unknown == {"row without ok": 1}


@pytest.mark.parametrize("name", ["log.csv", "log.tsv", "log.jsonl"])
@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_log_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(RefusedInput, match="is empty: there is no session in it"):
        read(tmp_path, LOWER, text, name)


def test_a_csv_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    assert ratios(read(tmp_path, LOWER, "name;ms\na;2\nb;1\n")) == [1.0, 2.0]


def test_a_row_with_too_many_fields_costs_itself(tmp_path: Path) -> None:
    transcript = read(tmp_path, LOWER, "name,ms\na,2\nb,1,x\nc,1\n")
    assert transcript.damaged == 1
    assert ratios(transcript) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("score = 1", "score: Input should be a valid string"),
        ('score = "a"', "direction: Field required"),
        ('score = "a"\ndirection = "up"', "direction: Input should be 'higher' or 'lower'"),
        ('score = "a"\ndirection = "lower"\nratio = true', "its direction is higher"),
        ('score = "a"\ndirection = "higher"\nratio = true\nbaseline_column = "b"', "not both"),
        ('score = "a"\ndirection = "higher"\ntypo = 1', "typo: Extra inputs are not permitted"),
        ("score = ", "is no TOML file"),
    ],
)
def test_a_wrong_mapping_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(RefusedInput, match=words):
        load(tmp_path / "map.toml")


def test_a_mapping_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedInput, match="cannot be read: No such file"):
        load(tmp_path / "map.toml")


@given(st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(b"ms,b\n" + data)
    mapping = Mapping(score="ms", direction="lower", series=("b",), correct="b", note="b", time="b")
    reader = MappedReader(path, mapping)
    for item in records(",")(path):
        reader.take(item)
    reader.finish()
    assert reader.account.balanced
