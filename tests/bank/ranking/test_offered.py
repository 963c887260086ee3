"""What may be offered at a moment at all."""

from typing import Any

import pytest

from bank.bank import Bank
from bank.question import Architecture, Question
from bank.ranking import rank
from bank.ranking.devices import family_in
from bank.ranking.moment import RankingFacts
from bank.ranking.offered import offered
from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.bank.builders import Story, entry

KIND = DecisionKind.PLATEAU


def _ids(story: Story, *entries: Question, **given: str) -> list[str]:
    return [one.id for one in offered(RankingFacts(Bank(entries), story.state(), KIND, given))]


def _profile(**changes: Any) -> Question:
    measurement = {
        "method": "read the counters",
        "tools": ["counter-profiler"],
        "number": "replayed over issued transactions",
        "unit": "percent",
    }
    return entry(measurement=measurement, **changes)


REPORT = "l1 transactions  issued 100  replayed 12"


def test_only_entries_for_the_kind_that_are_not_deprecated() -> None:
    other = entry(id="kq-host-902", decision_kinds=["scope"])
    old = entry(id="kq-host-903", status="deprecated", related=[{"id": "kq-host-901", "type": "obsolete"}])
    assert _ids(Story(), entry(), other, old) == ["kq-host-901"]


@pytest.mark.parametrize(
    ("texts", "family"),
    [
        (["NVIDIA H100 80GB HBM3", "AMD EPYC 9654 96-Core"], Architecture.HOPPER),
        (["gfx942 is the target"], Architecture.CDNA),
        (["AMD EPYC 9654 96-Core"], Architecture.CPU),
        (["it ran on an H100 and on a B200"], None),
        (["nothing of a device"], None),
        ([], None),
    ],
)
def test_the_family_is_what_a_session_names_most(texts: list[str], family: Architecture | None) -> None:
    assert family_in(texts) is family


def test_what_a_person_or_a_listing_says_of_the_device_counts_before_what_is_mentioned() -> None:
    table = "peaks: MI300X 5.3, MI350 8.0, MI300A 5.3 TB/s"
    told = Story()
    told.events.append(ev.HumanMessage(id="h", text="Make it fast on the RTX PRO 6000."))
    moment = RankingFacts(Bank(()), told.run("cat peaks.txt", table).state(), KIND)
    assert moment.family is Architecture.BLACKWELL
    listed = Story().run("cat peaks.txt", table).run("nvidia-smi -L", "GPU 0: NVIDIA H200")
    assert RankingFacts(Bank(()), listed.state(), KIND).family is Architecture.HOPPER
    once = Story().run("cat notes.txt", "as on an H100")
    assert RankingFacts(Bank(()), once.state(), KIND).family is None
    assert RankingFacts(Bank(()), once.say("The H100 does it.").state(), KIND).family is Architecture.HOPPER


def test_an_entry_for_one_family_waits_for_its_device() -> None:
    special = entry(architectures=["hopper"])
    assert _ids(Story(), special) == []
    assert _ids(Story().run("nvidia-smi", "NVIDIA B200"), special) == []
    assert _ids(Story().run("nvidia-smi", "NVIDIA H200"), special) == ["kq-host-901"]
    assert _ids(Story(), special, arch="NVIDIA H100 PCIe") == ["kq-host-901"]


def test_a_comparison_waits_for_an_implementation_by_others() -> None:
    comparing = entry(needs_upstream=True)
    story = Story().evaluate(1.2, 1.1)
    for baseline, ids in (("start", []), ("the first program", []), ("torch", ["kq-host-901"])):
        evaluation = ev.Evaluation(id="v", evaluation="v", status="CORRECT", baseline=baseline)
        story.events.append(evaluation)
        assert _ids(story, comparing) == ids


def test_a_question_whose_measurement_was_made_on_this_build_is_not_offered() -> None:
    story = Story().edit()
    assert _ids(story, _profile()) == ["kq-host-901"]
    assert _ids(story.run("ncu --set full ./a", "nothing of the kind, 7 lines"), _profile()) == [
        "kq-host-901"
    ]
    assert _ids(story.run("ncu ./a", REPORT), _profile()) == []
    assert _ids(story.edit(), _profile()) == ["kq-host-901"]


def test_a_number_that_is_only_talked_about_planned_or_missed_was_not_measured() -> None:
    said = "Of 100 issued transactions 12 were replayed."
    assert _ids(Story().edit().say(said), _profile()) == ["kq-host-901"]
    profiled = Story().edit().run("ncu ./a", "elapsed 41.7 us")
    for text in (
        said,  # no call printed these figures
        "TODO: the replayed over issued transactions of 41.7 us",
        "I have not counted the replayed and the issued transactions in these 41.7 us.",
        "Next: how many transactions were issued and replayed in 41.7 us?",
    ):
        assert _ids(profiled.say(text), _profile()) == ["kq-host-901"], text
    assert _ids(profiled.say("Replayed over issued transactions: 41.7."), _profile()) == []


def test_a_number_needs_a_figure_in_its_line() -> None:
    story = Story().edit().run("ncu ./a", "replayed and issued transactions\n12 of 100")
    assert _ids(story, _profile()) == ["kq-host-901"]


def test_an_edit_makes_what_was_measured_old() -> None:
    story = Story().edit().run("ncu ./a", REPORT)
    assert _ids(story, _profile()) == []
    edited = story.edit().say("12 of 100 issued transactions were replayed")
    assert _ids(edited, _profile()) == ["kq-host-901"]


def test_a_device_that_people_name_fills_the_question() -> None:
    asking = entry(question="How fast is {arch} here?", params=["arch"])
    story = Story()
    story.events.append(ev.HumanMessage(id="h", text="Make it fast on the NVIDIA RTX PRO 6000 (sm_120)."))
    (first,) = rank(Bank((asking,)), story.state(), KIND)
    assert first.question == "How fast is RTX PRO 6000 here?"
    (first,) = rank(Bank((asking,)), story.state(), KIND, facts={"arch": "Part 9"})
    assert first.question == "How fast is Part 9 here?"
    (first,) = rank(Bank((asking,)), Story().state(), KIND)
    assert first.question == "How fast is this device here?"
