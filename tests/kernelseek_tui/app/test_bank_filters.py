"""Filters, counts, search and what is known of entries, without a screen."""

from pathlib import Path

import pytest

from bank.bank import Bank
from bank.question import text_hash
from bank.reviews import Review, append
from kernelseek_tui.app.bank_filters import DEVICE, EFFECT, GROUP, LAYER, MOMENT, UPSTREAM, Shelf, named_by
from kernelseek_tui.app.bank_known import learn
from kernelseek_tui.app.bank_rows import detail_rows, effect_words, entry_rows, spots_of
from kernelseek_tui.app.bank_search import find
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.lines import text_of, width_of
from tests.bank.builders import entry, entry_data, write_bank
from tests.kernelseek_tui.app.bank_cases import ENTRIES, LAUNCH, SLOW, SPILL, THEIRS, WARP, asked, keep


def shelf() -> Shelf:
    reached = {LAUNCH.id: ("asked", "with a number"), SPILL.id: ("asked", "with a number", "moved a layer")}
    return Shelf(ENTRIES, lambda name: reached.get(name, ("untested",)))


def shown(of: Shelf) -> list[str]:
    return [of.entries[place].id for place in of.places()]


@pytest.mark.parametrize(
    ("at", "words", "wanted"),
    [
        (GROUP, "resources-and-generated-code", [SPILL, WARP]),
        (LAYER, "to memory", [THEIRS, WARP]),
        (MOMENT, "plateau", [LAUNCH, SLOW, WARP]),
        (EFFECT, "untested", [SLOW, THEIRS, WARP]),
        (EFFECT, "asked", [LAUNCH, SPILL]),
        (EFFECT, "moved a layer", [SPILL]),
        (DEVICE, "any device", [LAUNCH, SPILL, SLOW, THEIRS]),
        (DEVICE, "hopper", [WARP]),
        (UPSTREAM, "without an upstream", [LAUNCH, SPILL, SLOW, WARP]),
        (UPSTREAM, "with an upstream", [THEIRS]),
    ],
)
def test_each_filter_lets_through_what_it_says(at: int, words: str, wanted: list[object]) -> None:
    of = shelf()
    of.choose(at, words)
    assert shown(of) == [one.id for one in wanted]  # type: ignore[attr-defined]


def test_a_filter_counts_what_each_value_would_show_beside_the_others() -> None:
    of = shelf()
    of.choose(GROUP, "resources-and-generated-code")
    unset, counts = of.counts(LAYER)
    named = {value.words: number for value, number in zip(of.filters[LAYER].values, counts, strict=True)}
    assert unset == 2
    assert {words: number for words, number in named.items() if number} == {"to build": 1, "to memory": 1}
    for value, number in named.items():
        of.choose(LAYER, value)
        assert len(of.places()) == number
        assert of.counts(LAYER) == (unset, counts)


def test_stepping_goes_round_through_unset() -> None:
    of = shelf()
    values = len(of.filters[UPSTREAM].values)
    seen = []
    for _ in range(values + 1):
        of.step(UPSTREAM, 1)
        seen.append(of.chosen[UPSTREAM])
    assert seen == [*range(values), None]
    of.step(UPSTREAM, -1)
    assert of.chosen[UPSTREAM] == values - 1
    of.clear()
    assert len(of.places()) == len(ENTRIES)
    assert not of.filtered


def test_a_search_orders_and_is_filtered() -> None:
    of = shelf()
    of.found = [4, 0]
    assert shown(of) == [WARP.id, LAUNCH.id]
    of.choose(DEVICE, "any device")
    assert shown(of) == [LAUNCH.id]


def test_words_are_found_mistyped_and_as_they_are_typed() -> None:
    def found(query: str) -> list[str]:
        return [ENTRIES[place].id for place in find(ENTRIES, query)]

    assert found("launch") == [LAUNCH.id]
    assert found("lanuch") == [LAUNCH.id]
    assert found("occupancy") == [LAUNCH.id]
    assert found("comp") == [SPILL.id]
    for unfinished in ("w", "wa", "war"):
        assert WARP.id in found(unfinished)
    assert LAUNCH.id not in found("wa")
    assert found("launch o") == found("launch")
    assert found("[(*") == []
    assert found("zzzzzz") == []


def test_who_is_named_by_whom() -> None:
    assert named_by(ENTRIES) == {SPILL.id: [(LAUNCH.id, "similar")]}


# what is known


def test_effects_are_those_of_the_present_wording_asked_alone(tmp_path: Path) -> None:
    number = {"calls": 2, "measured": ["host"], "new_number": True, "first_measured": ["host"]}
    keep(
        tmp_path,
        asked(LAUNCH, "s1", outcome=number),
        asked(LAUNCH, "s2"),
        asked(LAUNCH, "s3", together=2),
        asked(SPILL, "s1", wording="00000000"),
        asked(SLOW, "s1", rehearsed=True, outcome=number),
    )
    known = learn(Bank(ENTRIES), tmp_path / "bank" / "effects.jsonl")
    assert known.reached(LAUNCH.id) == ("asked", "with a number", "moved a layer")
    for one in (SPILL, SLOW, WARP):
        assert known.reached(one.id) == ("untested",)
    words = [text for _, text, _ in effect_words(LAUNCH.id, known, UNICODE)]
    assert words[0] == "asked 2 times in 2 sessions"
    # Wilson's interval for 1 of 2: (1 + z²/2 ± z·√(1/2 + z²/4)) / (2 + z²) with z = 1.96
    assert words[1] == "a number came back: 1 of 2 (9–91 %)"
    assert words[2] == "a layer was measured for the first time: 1 of 2 (9–91 %)"
    assert words[3] == "asked 1 together with others as well, which count for nothing here"
    assert effect_words(SPILL.id, known, UNICODE)[0][1] == "untested"
    rehearsed = effect_words(SLOW.id, known, ASCII)
    assert rehearsed[0][1] == "untested"
    assert [label for label, _, _ in rehearsed[1:]] == ["rehearsed"] * 3
    assert rehearsed[2][1] == "a number came back: 1 of 1 (21-100 %)"


def test_damaged_records_and_reviews_are_said(tmp_path: Path) -> None:
    file = tmp_path / "effects.jsonl"
    file.write_text("{not json\n", encoding="utf-8")
    (tmp_path / "reviews.jsonl").write_text("{not json\n", encoding="utf-8")
    bank = Bank.load(write_bank(tmp_path, entry_data()))
    known = learn(bank, file)
    assert known.effects_lost
    assert "not known" in effect_words(LAUNCH.id, known, UNICODE)[0][1]
    assert "is no review" in known.review_words(bank.entries[0])


def test_reviews_of_the_banks_own_folder_are_shown(tmp_path: Path) -> None:
    bank = Bank.load(write_bank(tmp_path, entry_data()))
    one = bank.entries[0]
    assert learn(bank, tmp_path / "none").review_words(one) == "never reviewed"
    review = {"entry": one.id, "text": text_hash(one.question), "date": "2026-11-30", "by": "A. Reader"}
    append(
        tmp_path / "reviews.jsonl",
        Review.model_validate(review | {"ai_assisted": False, "tests": {"blind": "fail"}}),
    )
    assert "failed blind (A. Reader 2026-11-30)" in learn(bank, tmp_path / "none").review_words(one)


# rows


HOSTILE = entry(
    id="kq-host-902",
    question="Is [bold red]this[/] a number, and how large is it?",
    answered_when="a [31mred record [/] of one line and more",
    measurement={"method": "wide 宽 [/]", "tools": ["[/]"] * 500, "number": "n" * 300, "unit": "[b"},
    outcomes=[{"if": "[b +", "next": "host"}] * 500,
    related=[{"id": "kq-x-001", "type": "merged"}] * 500,
    sources=[{"ref": "https://x/]52;c;AA", "lesson": "[@click=quit]", "seen": "2026-11-29"}] * 500,
    provenance={"kind": "mined", "date": "2026-11-29", "author": "[31m", "ai_assisted": True},
)


@pytest.mark.parametrize("width", [12, 40, 79, 200])
def test_hostile_entries_are_shown_in_bounds(width: int) -> None:
    known = learn(Bank((HOSTILE,)), Path("/nonexistent"))
    placed = detail_rows(HOSTILE, HOSTILE.question, known, [("\x1b", "similar")], 2, width, UNICODE)
    rows = [row for _, row in placed]
    rows += entry_rows(HOSTILE, HOSTILE.question, "untested", 2, 15, width, UNICODE)
    assert all(text.isprintable() or text == "" for row in rows for text, _ in row)
    assert all(width_of(row) <= width for row in rows)
    assert len(rows) < 3_000
    text = " ".join(text_of(row) for row in rows)
    assert "[bold" in text
    spots = spots_of(HOSTILE, HOSTILE.question, [("\x1b", "similar")])
    assert {spot for spot, _ in placed if spot is not None} <= set(range(len(spots)))


def test_each_row_of_a_link_belongs_to_the_spot_that_copies_it() -> None:
    known = learn(Bank(ENTRIES), Path("/nonexistent"))
    linked = [(SPILL.id, "derived")]
    spots = spots_of(LAUNCH, LAUNCH.question, linked)
    assert [spot.copied for spot in spots] == [
        LAUNCH.question,
        SPILL.id,
        SPILL.id,
        "https://github.com/some/project/issues/12",
        "https://example.org/notes",
    ]
    held: dict[int, str] = {}
    for spot, row in detail_rows(LAUNCH, LAUNCH.question, known, linked, 0, 200, UNICODE):
        if spot is not None:
            held[spot] = held.get(spot, "") + text_of(row)
    assert set(held) == set(range(len(spots)))
    for at, spot in enumerate(spots):
        assert spot.copied in held[at]
