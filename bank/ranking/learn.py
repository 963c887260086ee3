"""Counts which groups, and which layers, people name at which kind of moment: the data of two rules.

    python -m bank.ranking.learn tests/bank/ranking/states.json ... > bank/vocabularies/moments.yaml

A labelled place counts its first group once, its second 0.7 and its third 0.5 times; layers alike. The shares
of a kind are drawn towards those over all kinds, as if `TOWARDS` more places had been labelled with them, and
those towards an even split: a kind with few places says little by itself.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import yaml

from bank.question import Group
from sessions.errors import RefusedInput
from sessions.vocabulary import DecisionKind, Layer

E = TypeVar("E", bound=StrEnum)

PLACES = (1.0, 0.7, 0.5)
TOWARDS = 4.0
"""Places with the overall shares that are added to each kind, and with even shares to the overall ones."""

_USAGE = (
    "usage: python -m bank.ranking.learn LABELS...\n\nPrints the shares counted over label files as YAML."
)

HEAD = "# Owner: the ranker. What people named at which kind of moment, counted by bank.ranking.learn.\n"


def shares(places: Iterable[tuple[str, list[str]]], values: type[E]) -> dict[DecisionKind, dict[E, float]]:
    """Kind to the share of each value, from (kind, values best first) of labelled places.

    Places of a kind that is none of the bank's count for the overall shares only.
    """
    overall: dict[E, float] = defaultdict(float)
    by_kind: dict[str, dict[E, float]] = defaultdict(lambda: defaultdict(float))
    for kind, named in places:
        for weight, name in zip(PLACES, named, strict=False):
            overall[values(name)] += weight
            by_kind[kind][values(name)] += weight
    even = dict.fromkeys(values, 1 / len(values))
    base = _drawn(overall, even)
    return {kind: _drawn(by_kind.get(kind.value, {}), base) for kind in DecisionKind}


def _drawn(counts: Mapping[E, float], towards: Mapping[E, float]) -> dict[E, float]:
    weight = TOWARDS * sum(PLACES)
    total = sum(counts.values()) + weight
    return {value: (counts.get(value, 0.0) + weight * share) / total for value, share in towards.items()}


def states_of(path: Path) -> list[dict[str, Any]]:
    """The states of a label file; the kind of a second annotator's is that of the first's.

    Raises `RefusedInput` for a file that is none.
    """
    states = _read(path)
    if all("kind" in state for state in states):
        return states
    first = path.with_name("states.json")
    if path.name == first.name:
        raise RefusedInput(f"{path}: a state has no kind of moment.")
    kinds = {state.get("id"): state["kind"] for state in states_of(first)}
    if any(state.get("id") not in kinds for state in states):
        raise RefusedInput(f"{path}: a state has no kind of moment, and {first} has none of its id.")
    return [{"kind": kinds[state["id"]], **state} for state in states]


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise RefusedInput(f"{path} is no file of labels: it is no JSON.") from error
    states = data.get("states") if isinstance(data, dict) else None
    if not isinstance(states, list) or not all(isinstance(state, dict) for state in states):
        raise RefusedInput(f"{path} is no file of labels: it holds no list of states.")
    for state in states:
        for name, known in (("groups", Group), ("layers", Layer)):
            named = state.get(name)
            if not isinstance(named, list) or not set(map(str, named)) <= {value.value for value in known}:
                raise RefusedInput(f"{path}: the {name} of a state are no list of {name} of the bank.")
        if not all(isinstance(state.get(name, ""), str) for name in ("id", "kind")):
            raise RefusedInput(f"{path}: the id or kind of a state is no text.")
    return states


def document(paths: Iterable[Path]) -> str:
    """The text of `moments.yaml`, from label files."""
    states = [state for path in paths for state in states_of(path)]
    groups = shares(((state["kind"], state["groups"]) for state in states), Group)
    layers = shares(((state["kind"], state["layers"]) for state in states), Layer)
    return HEAD + yaml.safe_dump({"shares": _rounded(groups), "layers": _rounded(layers)}, sort_keys=False)


def _rounded(found: Mapping[DecisionKind, Mapping[E, float]]) -> dict[str, dict[str, float]]:
    return {
        kind.value: {value.value: round(share, 3) for value, share in row.items()}
        for kind, row in found.items()
    }


def main(arguments: list[str]) -> int:
    """Print the document of the label files that are named. Ends 2 without any, 3 where one is none."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    try:
        print(document(map(Path, arguments)), end="")
    except RefusedInput as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
