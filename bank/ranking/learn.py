"""Counts which groups people name at which kind of moment: the data of the rule `helps`.

    python -m bank.ranking.learn tests/bank/ranking/states.json ... > bank/vocabularies/moments.yaml

Each labelled place counts its first group once, its second 0.7 and its third 0.5 times. Shares of a kind are
drawn towards those over all kinds, as if `TOWARDS` more places had been labelled with them, and those towards
an even split: a kind with few places says little by itself.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from bank.question import Group
from sessions.vocabulary import DecisionKind

PLACES = (1.0, 0.7, 0.5)
TOWARDS = 4.0
"""Places with the overall shares that are added to each kind, and with even shares to the overall ones."""

Shares = dict[Group, float]


def shares(places: Iterable[tuple[str, list[str]]]) -> dict[DecisionKind, Shares]:
    """Kind to the share of each group, from (kind, groups best first) of labelled places.

    Places of a kind that is none of the bank's count for the overall shares only.
    """
    overall: Counter[Group] = Counter()
    by_kind: dict[str, Counter[Group]] = {}
    for kind, groups in places:
        counts = by_kind.setdefault(kind, Counter())
        for weight, group in zip(PLACES, groups, strict=False):
            overall[Group(group)] += weight  # type: ignore[assignment]
            counts[Group(group)] += weight  # type: ignore[assignment]
    one = sum(PLACES)
    even = dict.fromkeys(Group, 1 / len(Group))
    base = _drawn(overall, even, TOWARDS * one)
    return {kind: _drawn(by_kind.get(kind.value, {}), base, TOWARDS * one) for kind in DecisionKind}


def _drawn(counts: Mapping[Group, float], towards: Mapping[Group, float], weight: float) -> Shares:
    total = sum(counts.values()) + weight
    return {group: (counts.get(group, 0) + weight * towards[group]) / total for group in Group}


def places_of(path: Path) -> list[tuple[str, list[str]]]:
    """(kind, groups) of every state; the kind of a second annotator's is that of the first's."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    kinds = {state["id"]: state["kind"] for state in _beside(path)}
    return [(state.get("kind") or kinds[state["id"]], state["groups"]) for state in data["states"]]


def _beside(path: Path) -> list[dict[str, Any]]:
    first = path.with_name("states.json")
    states: list[dict[str, Any]] = json.loads(first.read_text(encoding="utf-8"))["states"]
    return states


def document(paths: Iterable[Path]) -> str:
    """The text of `moments.yaml`, from label files."""
    found = shares(place for path in paths for place in places_of(path))
    head = "# Owner: the ranker. Which groups people named at which kind of moment, by bank.ranking.learn.\n"
    rounded = {kind.value: {g.value: round(s, 3) for g, s in row.items()} for kind, row in found.items()}
    return head + yaml.safe_dump({"shares": rounded}, sort_keys=False)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m bank.ranking.learn LABELS...")
    print(document(Path(name) for name in sys.argv[1:]), end="")
