"""The comparison of questioners: what it reads off a journal, and how it goes on where it was broken off."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import rehearsals
from benchmarks.rehearsals import Run, kept, main, missing, read_journal, table
from sessions.archive.finding import find_session

MET = Run("bank", 0, True, 3, 5, 8.5, "v")
UNMET = Run("random", 0, False, 12, 7, 2.7, "v")


def test_figures_stop_where_the_goal_was_met() -> None:
    run = read_journal(find_session("rehearsed-attention-bank"), "bank", 0, "v")
    assert run.met
    assert run.questions >= 1
    assert run.evaluations >= 3
    assert run.best > 1.8
    none = read_journal(find_session("rehearsed-attention-none"), "none", 0, "v")
    assert (none.met, none.questions) == (False, 0)
    assert none.best < run.best


def test_the_table_has_both_and_every_seed() -> None:
    rows = list(table([MET, UNMET, replace(MET, seed=1, questions=6)], 2))
    assert "| `bank` | 2 of 2 | 0.34 to 1.00 | 4.5 (3 to 6) | 5 |" in rows
    assert "| `random` | 0 of 1 | 0.00 to 0.79 | never | 7 |" in rows
    assert rows[-2:] == [
        "| 0 | met after 3 questions, best 8.50x | unmet after 12 questions, best 2.70x |",
        "| 1 | met after 6 questions, best 8.50x |  |",
    ]


def test_what_is_there_with_this_bank_is_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = rehearsals.load_banks().version
    out, page = tmp_path / "runs.jsonl", tmp_path / "page.md"
    old, here = MET, replace(MET, bank=version)
    out.write_text("".join(json.dumps(asdict(run)) + "\n" for run in (old, here)))
    assert missing(kept(out), 2, version) == [("random", 0), ("bank", 1), ("random", 1)]
    played: list[tuple[str, int]] = []

    def play(questioner: str, seed: int, bank: str) -> Run:
        played.append((questioner, seed))
        return Run(questioner, seed, False, 9, 4, 1.5, bank)

    monkeypatch.setattr(rehearsals, "play", play)
    done = CliRunner().invoke(main, ["--seeds", "2", "--out", str(out), "--markdown", str(page)])
    assert done.exit_code == 0, done.output
    assert played == [("random", 0), ("bank", 1), ("random", 1)]
    assert {run.bank for run in kept(out)} == {version}
    assert len(kept(out)) == 4
    assert "| `bank` | 1 of 2 |" in page.read_text()
