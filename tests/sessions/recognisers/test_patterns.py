"""A user's own patterns, and recognisers that packages bring."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.recognise import Recognition
from sessions.recognisers import patterns, registry
from sessions.recognisers.patterns import Patterned, load
from sessions.recognisers.protocol import Recognised

MINE = r"""
[[pattern]]
name = "mine"
command = 'run_it'
row = '^(?P<scenario>\w+) ref (?P<baseline>\S+) me (?P<candidate>\S+)$'
score = 'SCORE (?P<value>\S+)'
right = '^fine$'
wrong = '^broken$'
baseline = "vendor"
unit = "us"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / patterns.FILE
    path.write_text(text)
    return path


def look(pattern: Patterned, output: str, command: str = "./run_it") -> list[ev.Evaluation]:
    recognition = Recognition((pattern,))
    recognition.look(ev.ToolCall(id="c", call="c", tool="Bash", input={"command": command}))
    return recognition.look(ev.ToolResult(id="r", call="c", output=output))


def test_a_pattern_claims_its_own_commands(tmp_path: Path) -> None:
    (pattern,) = load(write(tmp_path, MINE))
    (found,) = look(pattern, "a ref 4.0 me 2.0\nb ref 9.0 me 1.0\nfine\n")
    assert [(one.id, one.ratio, one.candidate_ns) for one in found.scenarios] == [
        ("a", 2.0, 2000),
        ("b", 9.0, 1000),
    ]
    assert (found.status, found.baseline) == ("CORRECT", "vendor")
    assert found.geomean == pytest.approx(18**0.5)
    assert look(pattern, "a ref 4.0 me 2.0\n", "python other.py") == []
    assert look(pattern, "a ref 4.0 me 2.0\n", "python benchmark.py") == []


def test_a_printed_score_and_a_failure(tmp_path: Path) -> None:
    (pattern,) = load(write(tmp_path, MINE))
    (found,) = look(pattern, "SCORE 1.5\n")
    assert (found.geomean, found.baseline, found.status) == (1.5, "vendor", "PARSED")
    (found,) = look(pattern, "SCORE 1.5\nbroken\n")
    assert (found.geomean, found.status) == (None, "WRONG")
    assert look(pattern, "SCORE 0\nSCORE nan\n") == []


def test_no_file_is_no_pattern(tmp_path: Path) -> None:
    assert load(tmp_path / "none.toml") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[pattern]]\nname = 'a'\nrow = '('", "no regular expression"),
        ("[[pattern]]\nname = 'a'\nrow = 'x'", "name a group of it ratio"),
        ("[[pattern]]\nname = 'a'\nscore = '(?P<ratio>x)'", "name a group of it value"),
        ("[[pattern]]\nrow = '(?P<ratio>x)'", "name: Field required"),
        ("[[pattern]]\nname = 'a'\nrows = 'x'", "rows: Extra inputs"),
        ("[[pattern", "is no TOML file"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(RefusedInput, match=words):
        load(write(tmp_path, text))


def test_the_state_folders_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path))
    write(tmp_path, MINE)
    assert next(iter(registry.recognisers())).name == "mine"


class Added:
    """A recogniser as a package would bring it."""

    name = "added"

    def look(self, text: str, call: ev.ToolCall | None) -> Recognised | None:
        return Recognised(geomean=float(text)) if text == "7" else None


def test_packages_add_recognisers(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("added", f"{__name__}:Added", registry.GROUP),
        EntryPoint("broken", "no.such.module:thing", registry.GROUP),
        EntryPoint("other", f"{__name__}:MINE", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    registry.added.cache_clear()
    try:
        assert [one.name for one in registry.added()] == ["added"]
    finally:
        registry.added.cache_clear()


def test_a_pattern_s_figure_that_is_no_ratio_leaves_no_mean() -> None:
    one = patterns.Patterned(
        patterns.Pattern(name="mine", row=r"case (?P<scenario>\w+) gains (?P<ratio>\S+)")
    )
    found = one.look("case a gains 2.0\ncase b gains nan\ncase c gains -3.0\n", None)
    assert found is not None
    assert [(row.ratio, row.no_ratio) for row in found.rows] == [(2.0, ""), (None, "nan"), (None, "-3.0")]
