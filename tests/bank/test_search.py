"""Finding entries by words."""

import json

import pytest
from click.testing import CliRunner

from bank.bank import Bank
from bank.search import Found, by_id, nearest, search, told, unknown
from bank.terms import stems_of, words_of
from bank.words import vocabulary
from kernelseek_tui.cli.bank.group import bank as bank_commands
from tests.bank.builders import entry

SPILL = entry(
    id="kq-build-901",
    group="resources-and-generated-code",
    question="How many values does the compiler keep in memory?",
    measurement={
        "method": "the report",
        "tools": ["compiler-report"],
        "number": "spilled bytes",
        "unit": "B",
    },
)
LAUNCH = entry(
    id="kq-host-901",
    question="How long does one launch take on the host?",
    sources=[{"ref": "a/b#1", "lesson": "occupancy was not the cause", "seen": "2026-11-29"}],
)
WAIT = entry(id="kq-host-902", question="How long does the host wait after a launch?")
ENTRIES = (SPILL, LAUNCH, WAIT)


def _ids(found: list[Found]) -> list[str]:
    return [one.entry.id for one in found]


def _places(found: Found) -> dict[str, tuple[tuple[str, str], ...]]:
    return {match.field: match.words for match in found.matches}


@pytest.mark.parametrize("typed", ["ocupancy", "occupancy", "occupnacy", "OCCUPANCY", "occupanci"])
def test_typing_errors_are_forgiven(typed: str) -> None:
    (found,) = search(ENTRIES, typed)
    assert found.entry is LAUNCH
    assert _places(found) == {"lesson": ((typed.lower(), "occupancy"),)}


def test_each_field_is_searched_and_named() -> None:
    for query, field in (
        ("compiler keep", "question"),
        ("spill", "number"),
        ("report", "method"),
        ("toolchain", "group"),
        ("kq-build-901", "id"),
    ):
        found = search(ENTRIES, query)
        assert found[0].entry is SPILL, query
        assert field in _places(found[0]), query


def test_the_entry_with_more_and_rarer_words_comes_first() -> None:
    assert (
        _ids(search(ENTRIES, "launch wait"))
        == ["kq-host-902", "kq-host-901"][: len(search(ENTRIES, "launch wait"))]
    )
    found = search(ENTRIES, "launch wait")
    assert _ids(found)[0] == "kq-host-902"
    assert found[0].score == max(one.score for one in found) <= 100
    assert _ids(search(ENTRIES, "launch")) == ["kq-host-901", "kq-host-902"]  # equals keep the bank's order


def test_an_exact_match_scores_above_a_near_one_and_a_question_above_a_lesson() -> None:
    exact, near = search(ENTRIES, "launch")[0], search(ENTRIES, "lanch")[0]
    assert exact.score == 100 > near.score
    assert search(ENTRIES, "occupancy")[0].score < 100


@pytest.mark.parametrize("query", ["", "   ", "?!", "zzqq", "over", "hos"])
def test_what_matches_nothing(query: str) -> None:
    # `over` is no part of `overhead` here, and a word of three letters matches only itself
    assert search(ENTRIES, query) == []


def test_words_that_say_nothing_count_only_when_alone() -> None:
    assert words_of("how many of the spills") == ["many", "spills"]
    assert words_of("of the") == ["of", "the"]
    assert _ids(search(ENTRIES, "the occupancy")) == ["kq-host-901"]


def test_a_shorter_word_is_no_stem_of_a_much_longer_one() -> None:
    held = entry(question="What is over?")
    assert search((held,), "overhead") == []


def test_a_word_that_is_there_is_not_taken_for_a_typing_error() -> None:
    clock = entry(id="kq-a-001", question="How fast is the clock?")
    block = entry(id="kq-a-002", question="How large is a block?")
    assert _ids(search((clock, block), "block")) == ["kq-a-002"]
    assert search((clock,), "block") == []  # a word, though one letter off


@pytest.mark.parametrize(
    ("typed", "held", "met"),
    [
        ("spils", "spill", True),
        ("lanuch", "launch", True),
        ("optimize", "optimise", True),
        ("bandwidht", "bandwidth", True),
        ("bnadwidht", "bandwidth", True),
        ("bnadwith", "bandwidth", False),
        ("lost", "host", False),
        ("overhead", "covered", False),
        ("denormals", "normal", False),
    ],
)
def test_how_many_errors_are_forgiven(typed: str, held: str, met: bool) -> None:
    assert bool(search((entry(question=f"How many {held}?", answered_when="x"),), typed)) is met


def test_words_that_no_entry_has_do_not_count() -> None:
    assert _ids(search(ENTRIES, "launch xylophone")) == _ids(search(ENTRIES, "launch"))
    assert unknown(ENTRIES, "launch xylophone lunch lanch") == ["xylophone", "lunch"]


def test_near_words_are_offered() -> None:
    assert "launch" in nearest(ENTRIES, "lnuhch")
    assert nearest((), "x") == []
    assert len(nearest(ENTRIES, "compiler host launch")) == 3


def test_no_entries_at_all() -> None:
    assert search((), "launch") == []


def test_over_the_shipped_bank_a_question_finds_itself() -> None:
    bank = Bank.load()
    for one in bank.entries:
        # the words of a question may all stand elsewhere, too; it is never far down
        assert one.id in _ids(search(bank.entries, one.question))[:3]
        assert search(bank.entries, one.id)[0].entry is one


# ids


OLD = entry(id="kq-host-903", status="deprecated", question="Is it old, and how old?")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("kq-host-903", ["kq-host-903"]),
        ("host-903", ["kq-host-903"]),
        ("KQ-HOST", ["kq-host-901", "kq-host-902", "kq-host-903"]),
        ("kq-ho", ["kq-host-901", "kq-host-902", "kq-host-903"]),
        ("902", ["kq-host-902"]),
        ("host", []),
        ("ost-903", []),
        ("03", []),
        ("kq", []),
        ("", []),
    ],
)
def test_an_id_and_its_parts_name_entries(query: str, wanted: list[str]) -> None:
    entries = (*ENTRIES, OLD)
    assert [one.id for one in by_id(entries, query)] == wanted
    if wanted:
        assert _ids(search(entries, query)) == wanted


def test_what_is_named_by_id_stands_first() -> None:
    found = search((*ENTRIES, OLD), "launch kq-host-903")
    assert _ids(found)[0] == "kq-host-903"
    assert found[0].score == 100
    assert set(_ids(found)) == {"kq-host-901", "kq-host-902", "kq-host-903"}


def test_an_id_that_is_not_there_finds_no_other() -> None:
    assert search(ENTRIES, "kq-host-999") == []
    assert told(ENTRIES, "kq-host-999") == [
        "no entry speaks of 'kq-host-999'; nearest: kq-host-901, kq-host-902"
    ]


# synonyms


def test_a_synonym_finds_and_is_told() -> None:
    lanes = entry(id="kq-a-001", question="How many lanes are active?")
    (found,) = search((lanes,), "divergence")
    assert _places(found) == {"question": (("divergence", "lanes"),)}
    assert found.score < search((lanes,), "lanes")[0].score
    assert told((lanes,), "divergence") == ["no entry has 'divergence'; looked for lanes"]
    assert unknown((lanes,), "divergence") == []


def test_a_phrase_counts_as_one_word() -> None:
    share = entry(id="kq-a-001", question="What share of the time is left in memory?")
    chip = entry(id="kq-a-002", question="How much on-chip storage is free?")
    held = entry(id="kq-a-003", question="How many bytes of shared memory are held?")
    assert _ids(search((share, chip, held), "shared memory")) == ["kq-a-003", "kq-a-002"]
    assert told((share, chip, held), "shared memory") == []


@pytest.mark.parametrize(
    ("asked", "near"), [("spill", "still"), ("shared", "share"), ("stall", "still"), ("block", "clock")]
)
def test_a_word_is_never_taken_for_another(asked: str, near: str) -> None:
    assert search((entry(question=f"How many of them {near} run?"),), asked) == []


def test_a_mistyped_word_is_told_with_what_it_was_taken_for() -> None:
    assert told(ENTRIES, "lanuch xylophone wait") == [
        "no entry has 'lanuch'; taken for launch",
        "no entry speaks of 'xylophone'",
    ]


def test_endings_make_no_other_word() -> None:
    for words in (("coalesced", "coalescing", "coalesce"), ("spill", "spills", "spilled", "spilling")):
        assert len({stems_of(word) for word in words}) == 1
    assert stems_of("pass") == stems_of("passes") == " pass "


def test_the_vocabulary_is_read_as_it_is_meant() -> None:
    data = vocabulary("synonyms")
    assert set(data) == {"synonyms", "real"}
    stems = [stems_of(str(key)) for key in data["synonyms"]]
    assert len(stems) == len(set(stems))
    assert all(1 <= len(key.split()) <= 2 for key in stems)
    for key, means in data["synonyms"].items():
        assert means == list(dict.fromkeys(means)), key
        assert all(isinstance(one, str) and stems_of(one).strip() for one in means), key
        assert stems_of(key) not in [stems_of(one) for one in means], key


ENGINEERS = """spill; shared memory; bank conflict; coalesced; divergence; atomics; roofline; graph; warp;
occupancy; tail effect; tensor core; false sharing; numa; tlb; launch overhead; register spills;
bandwith spills; ocupancy"""


@pytest.mark.parametrize("query", [" ".join(one.split()) for one in ENGINEERS.split(";")])
def test_over_the_shipped_bank_an_engineers_words_find_something(query: str) -> None:
    entries = Bank.load().select()
    found = search(entries, query)
    assert found
    assert len(found) < len(entries) / 3
    met = {word for one in found for match in one.matches for _, word in match.words}
    assert not met & {"still", "share"}


def test_the_command_tells_what_no_entry_speaks_of(capsys: pytest.CaptureFixture[str]) -> None:
    result = CliRunner().invoke(bank_commands, ["search", "microseconds", "qqqqqq"])
    assert result.exit_code == 0
    assert result.stdout
    assert "qqqqqq" in result.stderr
    gone = CliRunner().invoke(bank_commands, ["search", "host-003", "--json"])
    found = json.loads(gone.stdout)
    assert [(one["id"], one["status"]) for one in found][:1] == [("kq-host-003", "deprecated")]
