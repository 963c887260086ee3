"""The fixtures of the lints, and how one case becomes a bank on disk and its findings."""

import random
from pathlib import Path
from typing import Any

import yaml

from bank.admission import TABLE, Context, LintFinding, admit
from bank.admission.folder import IDS, admit_path
from bank.question import Group, Question
from sessions.vocabulary import DecisionKind, Layer
from tests.bank.builders import HERE, write_bank

FIXTURES: dict[str, Any] = yaml.safe_load((HERE / "lint_fixtures.yaml").read_text(encoding="utf-8"))
SAMPLES: dict[str, dict[str, str]] = yaml.safe_load((HERE / "samples.yaml").read_text(encoding="utf-8"))
BASE: dict[str, Any] = FIXTURES["base"]


def cases(side: str) -> list[tuple[str, Any]]:
    """Every lint with each of its cases of one side, `flag` or `pass`."""
    return [(lint.id, case) for lint in TABLE for case in FIXTURES[lint.id][side]]


def findings(lint: str, case: Any, folder: Path) -> list[LintFinding]:
    """What one lint says of a case, read from files as `kernelseek bank lint` reads them."""
    if lint == "Q20":
        found = tuple(admit(full_bank(**case), Context(complete=True)))
    else:
        _write(case, folder)
        found = admit_path(folder).findings
    return [one for one in found if one.lint == lint]


def _write(case: Any, folder: Path) -> None:
    if isinstance(case, str):
        write_bank(folder, BASE | {"question": case})
    elif isinstance(case, list):
        write_bank(folder, *case)
    elif "published" in case:
        write_bank(folder, *case["entries"])
        (folder / IDS).write_text("".join(f"{name}\n" for name in case["published"]), encoding="utf-8")
    else:
        write_bank(folder, case)


_FAMILIES = ("hopper", "blackwell", "ampere", "cdna", "cpu")
_COMPARING = ("parity", "baselines", "upstream", "vendor", "competitor")
_SOURCE = {"ref": "someone/something#12", "lesson": "a lesson", "seen": "2026-11-29"}
_KINDS, _LAYERS, _GROUPS = list(DecisionKind), list(Layer), [group.value for group in Group]


def _member(number: int, **changes: Any) -> dict[str, Any]:
    ahead, after = _LAYERS[number % 8], _LAYERS[(number + 3) % 8]
    letters = random.Random(number)
    words = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(3)]
    words += [_COMPARING[number % 5]] if "needs_upstream" in changes else []
    return BASE | {
        "id": f"kq-x-{number:03d}",
        "group": _GROUPS[number % 10],
        "question": f"How long do {', '.join(words)} take?",
        "measurement": BASE["measurement"] | {"number": words[0]},
        "decision_kinds": [_KINDS[(number + step) % 8].value for step in range(2)],
        "moves": {"from": "kernel", "to": ahead.value},
        "refuses_closure": True,
        "outcomes": [{"if": "long", "next": after.value}, {"if": "short", "verdict": "stand"}],
        "provenance": BASE["provenance"] | {"kind": "mined"},
        "sources": [_SOURCE],
        **changes,
    }


def full_bank(
    without: dict[str, Any] | None = None,
    more: dict[str, Any] | None = None,
    deprecated: dict[str, Any] | None = None,
    words: str = "",
) -> list[Question]:
    """A bank that is just complete: 101 core entries, 5 that need an upstream, 4 of each family.

    `without` takes out what has a value (an entry, or the kind, layer or provenance of every entry); `more`
    adds core entries to a group, `deprecated` deprecates those of a group. `words` is for the caller.
    """
    items = [_member(number) for number in range(101)]
    items += [_member(200 + number, needs_upstream=True) for number in range(5)]
    items += [_member(300 + n, architectures=[family]) for n, family in enumerate(_FAMILIES * 4)]
    if more:
        items += [_member(400 + n, group=more["group"]) for n in range(more["number"])]
    for key, value in (without or {}).items():
        items = [kept for item in items if (kept := _without(item, key, value))]
    if deprecated:
        items = [i | {"status": "deprecated"} if i["group"] == deprecated["group"] else i for i in items]
    return [Question.model_validate(item) for item in items]


def _without(item: dict[str, Any], key: str, value: Any) -> dict[str, Any] | None:
    if key == "layer":
        other = {value: "host"}
        moves = {name: other.get(layer, layer) for name, layer in item["moves"].items()}
        outcomes = [
            end | ({"next": other.get(end["next"], end["next"])} if "next" in end else {})
            for end in item["outcomes"]
        ]
        return item | {"moves": moves, "outcomes": outcomes}
    if key == "decision_kinds":
        return item | {key: [kind for kind in item[key] if kind != value] or ["scope"]}
    if key == "provenance":
        return item | {key: item[key] | {"kind": "written"}}
    found = item.get(key)
    return None if found == value or (isinstance(found, list) and value in found) else item
