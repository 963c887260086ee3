"""What a profile names points to groups; nothing else in a session does."""

import pytest

from bank.bank import Bank
from bank.question import Group
from bank.ranking import rank
from bank.ranking.bottlenecks import bottlenecks, labels_in
from bank.words import vocabulary
from sessions.vocabulary import DecisionKind
from tests.bank.builders import Story, entry


def test_every_label_has_a_pattern_that_is_one_and_groups() -> None:
    assert list(labels_in("")) == []
    labels = vocabulary("bottlenecks")["labels"]
    assert len(labels) > 10
    assert {Group(group) for label in labels for group in label["groups"]} >= {
        Group.DATA,
        Group.ROUTING,
        Group.HOST,
        Group.RESOURCES,
        Group.BOUNDS,
    }


@pytest.mark.parametrize(
    ("output", "group"),
    [
        ("OPT   This kernel grid is too small to fill the available resources", Group.ROUTING),
        ("OPT   Est. Speedup: 40%  uncoalesced global accesses", Group.DATA),
        ("Theoretical occupancy 25%, limited by the number of required registers", Group.RESOURCES),
        ("93.1  1200  cudaLaunchKernel", Group.HOST),
        ("DRAM Throughput           %        88.2", Group.DATA),
        ("   1,220,331      cache-misses   # 40 % of all", Group.DATA),
    ],
)
def test_labels_of_profilers(output: str, group: Group) -> None:
    assert group in bottlenecks(Story().run("ncu ./a", output).state())
    assert bottlenecks(Story().run("cat notes.txt", output).state()) == {}
    assert bottlenecks(Story().say(output).state()) == {}


def test_only_the_last_profiles_count() -> None:
    story = Story().run("ncu ./a", "This kernel grid is too small")
    for _ in range(3):
        story.run("ncu ./a", "nothing to say")
    assert bottlenecks(story.state()) == {}


def test_the_reason_quotes_the_profile() -> None:
    routing = entry(id="kq-routing-901", group="routing-and-distribution")
    host = entry(id="kq-host-901")
    bank = Bank((host, routing))
    state = Story().run("ncu ./a", "This kernel grid is\n too small").state()
    first = rank(bank, state, DecisionKind.PLATEAU)[0]
    assert first.entry == "kq-routing-901"
    assert 'a profile names "grid is too small"' in first.reasons
