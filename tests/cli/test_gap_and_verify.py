"""`kernelseek gap` and `kernelseek verify`, in this process: neither runs anything."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.gaps import read_gaps
from kernelseek_tui.cli.gap import gap
from kernelseek_tui.cli.verify import verify
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace
from tests.made_records import SCENARIOS, made_record, store

IDS = tuple(scenario.id for scenario in SCENARIOS)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeWorkspace:
    place = MadeWorkspace(tmp_path)
    monkeypatch.setenv("KERNELSEEK_HOME", str(place.home))
    monkeypatch.chdir(place.root)
    return place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(gap, arguments, standalone_mode=False)


def test_a_gap_is_recorded_with_its_number_and_shown(made: MadeWorkspace) -> None:
    assert run("toy-n?", "host", "--measured", "33 of 41 us\n with an empty kernel").return_value == 0
    [entry] = read_gaps(made.workspace.gaps, IDS)
    assert (entry.scenarios, entry.gap) == (IDS[:1], "host")
    assert entry.measured == "33 of 41 us with an empty kernel"
    assert entry.candidate_sha256 == made.workspace.candidate_sha256()
    lines = run().output.splitlines()
    assert lines[0] == "toy-n8   host     33 of 41 us with an empty kernel"
    assert lines[1:] == ["toy-n16  -", "toy-n32  -", "toy-n64  -"]
    shown = json.loads(run("--list", "--json").output)
    assert shown["set"] == "demo"
    assert shown["scenarios"]["toy-n8"]["gap"] == "host"
    assert shown["scenarios"]["toy-n16"] is None
    assert shown["scenarios"]["toy-n8"]["earlier_candidate"] is False
    (made.root / "candidate.cpp").write_text("// another\n")
    assert run().output.splitlines()[0].endswith("(of an earlier candidate)")
    assert json.loads(run("--json").output)["scenarios"]["toy-n8"]["earlier_candidate"] is True


def test_hostile_words_stay_words(made: MadeWorkspace) -> None:
    assert run("*", "kernel", "--measured", "1 \x1b[2J[bold red]").return_value == 0
    assert "\x1b" not in run().output
    assert "1 ␛[2J[bold red]" in run().output


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("*", "host", "--measured", "slow, I think"), 2, "has to say the measurement with its number"),
        (("*", "host"), 2, "has to say the measurement with its number"),
        (("*",), 2, "Say what holds"),
        (("*", "disk", "--measured", "1"), 2, "disk"),
        (("*", "--list"), 2, "--list takes no"),
        (("*", "host", "--measured", "1" * 2001), 2, "is over 2000 characters"),
        (("x*", "host", "--measured", "1 us"), 3, "matches none of the 4 scenarios of 'demo'"),
    ],
)
def test_what_is_no_gap_is_refused(
    made: MadeWorkspace, arguments: tuple[str, ...], code: int, words: str
) -> None:
    found = run(*arguments)
    assert found.exception is not None
    assert getattr(found.exception, "exit_code", None) == code
    assert words in str(getattr(found.exception, "message", found.exception))
    assert not made.workspace.gaps.exists()


def test_a_good_record_is_verified(tmp_path: Path) -> None:
    path = store(made_record(), tmp_path)
    found = CliRunner().invoke(verify, [str(path)], standalone_mode=False)
    lines = found.output.splitlines()
    assert found.return_value == 0
    assert lines[0].split() == ["scenario", "status", "ratio", "interval", "verdict", "recomputed"]
    assert lines[1].split() == ["toy-n8", "CORRECT", "1.997x", "1.900..2.100", "FASTER", "ok"]
    assert lines[5].startswith("recomputed: 4 timed scenarios, 4 of the baseline against itself, 1 shapes")
    assert lines[6].startswith("says: CORRECT 4/4: 2x over start")
    assert lines[7].startswith("VERIFIED: every number follows from the raw samples")
    assert lines[8].startswith(
        "not shown: that the samples were taken, or that the file was not written anew"
    )
    answer = json.loads(CliRunner().invoke(verify, [str(path), "--json"], standalone_mode=False).output)
    assert (answer["ok"], answer["refused"], answer["faults"]) == (True, "", [])


def test_a_changed_record_is_refused_with_the_field(tmp_path: Path) -> None:
    path = store(made_record(), tmp_path)
    said = json.loads(path.read_text())
    said["scenarios"][3]["timing"]["low"] = 1.95
    path.write_text(json.dumps(said))
    found = CliRunner().invoke(verify, [str(path)], standalone_mode=False)
    assert getattr(found.exception, "exit_code", None) == 3
    assert "is refused: scenarios.3.timing.low: says 1.95, samples give 1.9 (" in str(found.exception)
    shown = CliRunner().invoke(verify, [str(path), "--json"], standalone_mode=False)
    answer = json.loads(shown.output)
    assert shown.return_value == 3
    assert answer["ok"] is False
    assert answer["faults"][0] == {"field": "scenarios.3.timing.low", "what": "says 1.95, samples give 1.9"}
    assert answer["faults"][-1]["field"] == "digest"
