"""What was asked, as the ranker sees it: by entry, by a group of entries in one message, or typed."""

from bank.bank import Bank
from bank.params import fill
from bank.ranking import rank
from bank.ranking.moment import RankingFacts
from sessions.vocabulary import DecisionKind
from tests.bank.builders import Story

BANK = Bank.load()
KIND = DecisionKind.PLATEAU


def test_a_message_that_holds_several_questions_asked_them_all() -> None:
    first, second = BANK.select(kind=KIND)[:2]
    text = f"Pick one:\n1. {fill(first.question, {})}\n2. {fill(second.question, {})}\nAnswer with a number."
    moment = RankingFacts(BANK, Story().ask(text).state(), KIND)
    assert moment.asked_ids == {first.id, second.id}
    assert [entry.id for entry in moment.recently_asked] == [first.id, second.id]
    assert len(moment.asked_texts) == 2


def test_an_edited_question_is_known_by_its_entry_and_likened_by_its_words() -> None:
    entry = BANK.select(kind=KIND)[0]
    moment = RankingFacts(BANK, Story().ask("How many apples fit?", entry.id).state(), KIND)
    assert moment.asked_ids == {entry.id}
    assert moment.recently_asked == (entry,)
    assert "apples" in moment.asked_texts[0]


def test_a_typed_question_of_nobodys_is_only_words() -> None:
    moment = RankingFacts(BANK, Story().ask("How many apples fit?").state(), KIND)
    assert moment.asked_ids == frozenset()
    assert moment.recently_asked == ()
    assert "apples" in moment.asked_texts[0]


def test_the_group_of_a_long_message_steps_back_in_the_ranking() -> None:
    top = rank(BANK, Story().state(), KIND)[0]
    entries = [entry for entry in BANK.select(kind=KIND) if entry.group.value == top.group]
    text = "\n".join(fill(entry.question, {}) for entry in entries)
    after = rank(BANK, Story().ask(text).state(), KIND)
    assert after[0].group != top.group
    assert not {entry.id for entry in entries} & {one.entry for one in after}
