"""Records of kept sessions and of named transcripts, measured anew only where they changed."""

from pathlib import Path

import pytest

from bank.effects.pooled import Pooled
from bank.effects.store import cache_path, read_store
from kernelseek_tui.effects.journals import Effects, gather
from kernelseek_tui.effects.journals import keep as keep_measured
from kernelseek_tui.effects.wording import Wordings
from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.home import journal_path
from tests.kernelseek_tui.effects.stories import BANK, HOST, TRACE, WORDINGS, Story


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))


def asked(session: str, rehearsed: bool = False) -> Story:
    story = Story(rehearsed, session=session)
    story.scores(1.2, 1.4)
    story.ask(decision=story.flag())
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    return story


def keep(story: Story, session: str) -> Path:
    return story.write(journal_path(session))


def gathered(*named: Path, wordings: Wordings = WORDINGS) -> Effects:
    return gather(wordings, cache_path(), named)


def test_nothing_kept() -> None:
    found = gathered()
    assert (found.records, found.sessions, found.remarks, found.unsaved) == ([], 0, [], "")
    assert not cache_path().exists()


def test_only_what_changed_is_measured_again() -> None:
    one, other = asked("one"), asked("two")
    keep(one, "one")
    keep(other, "two")
    assert gathered().measured == 2
    first = cache_path().read_bytes()
    again = gathered()
    assert (again.measured, again.sessions, len(again.records)) == (0, 2, 2)
    assert cache_path().read_bytes() == first
    one.scores(1.5)
    keep(one, "one")
    third = gathered()
    assert third.measured == 1
    assert [record.outcome.evaluations for record in sorted(third.records, key=lambda r: r.session)] == [1, 0]
    assert Pooled.load(cache_path()).overall == (2, 2)


def test_another_wording_of_the_bank_measures_all_again() -> None:
    keep(asked("one"), "one")
    gathered()
    changed = BANK.entries[0].model_copy(update={"question": "How long?"})
    wordings = Wordings(type(BANK)((changed, BANK.entries[1])))
    found = gathered(wordings=wordings)
    assert found.measured == 1
    assert found.records[0].wording is None


def test_a_damaged_cache_is_made_again_with_a_word() -> None:
    keep(asked("one"), "one")
    whole = gathered().records
    cache_path().write_bytes(cache_path().read_bytes()[:-30])
    found = gathered()
    assert found.records == whole
    assert found.remarks == [f"The records kept in {cache_path()} are measured again: it is damaged."]
    assert gathered().remarks == []


def test_named_files_count_in_the_answer_but_not_for_the_ranker(tmp_path: Path) -> None:
    keep(asked("one"), "one")
    named = asked("two").write(tmp_path / "two.jsonl")
    assert gathered(named).sessions == 2
    assert len(gathered().records) == 1
    assert Pooled.load(cache_path()).overall == (1, 1)
    assert len(read_store(cache_path()).blocks) == 2


def test_a_copy_of_a_kept_session_counts_once(tmp_path: Path) -> None:
    story = asked("one")
    path = keep(story, "one")
    assert len(gathered(story.write(tmp_path / "copy.jsonl"), path, path.parent).records) == 1


def test_records_of_a_session_that_was_removed_stay() -> None:
    path = keep(asked("one"), "one")
    gathered()
    path.unlink()
    path.parent.rmdir()
    found = gathered()
    assert (found.sessions, found.gone, len(found.records)) == (0, 1, 1)
    assert Pooled.load(cache_path()).asked(HOST) == 1


def test_what_cannot_be_read_is_left_out_when_kept_and_refused_when_named(tmp_path: Path) -> None:
    keep(asked("one"), "one")
    bad = journal_path("bad")
    bad.parent.mkdir(parents=True)
    bad.write_text("no journal\n")
    (bad.parent.parent / "link").symlink_to(bad.parent)
    found = gathered()
    assert len(found.records) == 1
    assert sorted(remark.split(":")[0] for remark in found.remarks) == ["Left out", "Left out"]
    with pytest.raises(RefusedInput):
        gathered(bad)
    with pytest.raises(RefusedInput):
        gathered(tmp_path / "none.jsonl")


def test_a_cache_that_cannot_be_written_still_answers() -> None:
    keep(asked("one"), "one")
    cache_path().parent.parent.mkdir(parents=True, exist_ok=True)
    cache_path().parent.write_text("a file")
    found = gathered()
    assert len(found.records) == 1
    assert "could not be written" in found.unsaved


def test_a_journal_with_a_damaged_line_and_an_unknown_kind_is_measured(tmp_path: Path) -> None:
    path = asked("one").write(tmp_path / "one.jsonl")
    lines = path.read_text().splitlines()
    lines[3:3] = ['{"kind": "later_kind", "id": "x1", "propensity": 2}', "{torn"]
    path.write_text("\n".join(lines) + "\n")
    (record,) = gathered(path).records
    assert record.outcome.new_number


def test_a_transcript_of_another_program_has_own_words_only(tmp_path: Path) -> None:
    rows = [
        {"type": "user", "message": {"role": "user", "content": "Make it faster."}},
        {
            "type": "assistant",
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        },
        {"type": "user", "message": {"role": "user", "content": "Where does the time go?"}},
        {
            "type": "assistant",
            "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "I look."}]},
        },
    ]
    import json

    path = tmp_path / "foreign.jsonl"
    path.write_text(
        "".join(
            json.dumps({"sessionId": "s", "uuid": f"u{at}", "timestamp": f"2026-01-01T00:00:0{at}Z", **row})
            + "\n"
            for at, row in enumerate(rows)
        )
    )
    (record,) = gathered(path).records
    assert (record.what, record.by, record.entry, record.asks) == ("own_words", "human", None, True)
    assert Pooled.load(cache_path()).overall == (0, 0)


def test_a_live_session_with_a_last_line_half_written(tmp_path: Path) -> None:
    path = keep(asked("one"), "one")
    with path.open("ab") as file:
        file.write(ev.dump_event(ev.Note(id="n", text="x")).encode()[:20])
    assert len(gathered().records) == 1


def test_a_session_that_ended_is_kept_for_the_ranker_and_not_measured_again() -> None:
    path = keep(asked("one"), "one")
    assert keep_measured(path, WORDINGS, cache_path()) == ""
    assert Pooled.load(cache_path()).overall[1] == 1
    found = gathered()
    assert (found.measured, found.sessions) == (0, 1)


def test_a_session_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    assert "cannot be read" in keep_measured(tmp_path / "none.jsonl", WORDINGS, cache_path())
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert keep_measured(keep(asked("two"), "two"), WORDINGS, blocked / "effects.jsonl")
