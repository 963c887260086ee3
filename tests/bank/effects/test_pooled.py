from pathlib import Path
from typing import Any

from bank.effects.pooled import Pooled, past_words
from bank.effects.record import Record
from bank.effects.store import Block, Source, merge_into
from bank.question import Group
from bank.ranking.utility import PastEffect, utility
from sessions.vocabulary import DecisionKind
from tests.bank.effects.made import record, unasked

GOOD: dict[str, Any] = {"calls": 3, "new_number": True, "first_measured": ["host"]}


def source(name: str, kept: bool = True) -> Source:
    return Source(f"/sessions/{name}/events.jsonl", 1, 2, "t", kept)


def of(*records: Record) -> Pooled:
    return Pooled.of(one.model_dump(mode="json") for one in records)


def test_what_is_counted() -> None:
    pooled = of(
        record("e1", outcome=GOOD),
        record("e2", outcome={"calls": 2}),
        record("e2", outcome={"calls": 2}),  # the same under another path
        record("e3", outcome=GOOD, rehearsed=True),
        record("e4", outcome=GOOD, what="own_words", entry=None, group=None),
        record("e5", outcome=GOOD, kind="claimed_limit"),
        record("e6", outcome=GOOD, together=2),
        record("e6", outcome=GOOD, together=2, entry="kq-host-902"),
        record("e7", outcome=GOOD, wording=None, edited=True),
        unasked(outcome=GOOD),
    )
    assert (
        pooled.successes(Group.HOST, DecisionKind.PLATEAU),
        pooled.trials(Group.HOST, DecisionKind.PLATEAU),
    ) == (
        3,
        4,
    )
    assert pooled.trials("host-and-launch-path", "claimed_limit") == 1
    assert pooled.trials(Group.BOUNDS, DecisionKind.PLATEAU) == 0
    assert pooled.overall == (4, 5)
    # alone and as the bank has it: e1, e2, e5
    assert (pooled.asked("kq-host-901"), pooled.answered("kq-host-901")) == (3, 3)
    assert past_words(pooled, "kq-host-901") == "asked 3 times: 3 answered with a number"
    assert past_words(of(record(outcome=GOOD)), "kq-host-901") == "asked once: 1 answered with a number"
    assert past_words(pooled, "kq-host-902") == "untested"


def test_the_ranker_takes_it() -> None:
    past: PastEffect = of(
        *(record(f"e{at}", outcome=GOOD) for at in range(10)),
        *(record(f"x{at}", kind="scope") for at in range(10)),
    )
    found = utility(past, Group.HOST, DecisionKind.PLATEAU)
    assert found is not None
    assert (found.successes, found.trials, found.overall) == (10, 10, 0.5)
    assert found.score > 0
    assert utility(past, Group.BOUNDS, DecisionKind.PLATEAU) is None
    assert utility(Pooled(), Group.HOST, DecisionKind.PLATEAU) is None


def test_load_takes_kept_sessions_only_and_is_empty_where_there_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bank" / "effects.jsonl"
    assert Pooled.load(path) == Pooled()
    merge_into(path, [Block(source("a"), (record(outcome=GOOD),))])
    named = tmp_path / "named.jsonl"
    named.write_text("x")
    merge_into(path, [Block(Source(str(named), 1, 2, "t", kept=False), (record("e9", "s9", outcome=GOOD),))])
    assert Pooled.load(path).overall == (1, 1)
    for damage in (
        b"{",
        b'{"journal": 3}\n',
        b"\xff\n",
        b'{"measured_by": 999, "journal": {}, "records": 0}\n',
    ):
        path.write_bytes(damage)
        assert Pooled.load(path) == Pooled()


def test_a_thousand_records_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    blocks = [
        Block(source(f"s{number}"), tuple(record(f"e{at}", f"s{number}", outcome=GOOD) for at in range(10)))
        for number in range(100)
    ]
    merge_into(path, blocks)
    assert Pooled.load(path).overall == (1000, 1000)
