"""Two annotators' labels side by side: kappa a field, where they differ, what only one of them labelled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kernelseek_tui.plain import one_line
from sessions.agreement import METHOD, OVERALL, SMALL, Agreement, Kappa, Pairing, agreement, pair
from sessions.errors import RefusedInput
from sessions.labels import Label


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two annotators, their labels put together, and how far they agree."""

    names: tuple[str, str]
    pairing: Pairing
    agreement: Agreement


def compared(
    first: Sequence[Label], second: Sequence[Label], files: tuple[str, str], within: int = 0
) -> Comparison:
    """Compare two files, or the two annotators of one file given twice. `files` are their names.

    Raises `RefusedInput` where it is not clear whose labels are meant.
    """
    if files[0] == files[1]:
        names = sorted({label.annotator for label in first})
        if len(names) != 2:
            raise RefusedInput(
                f"{files[0]} holds labels by {_listed(names)}; a comparison needs two annotators."
            )
        one, other = names
    else:
        one, other = _only(first, files[0]), _only(second, files[1])
        if one == other:
            raise RefusedInput(f"Both files hold labels by {one}; a comparison needs two annotators.")
    pairing = pair(
        [label for label in first if label.annotator == one],
        [label for label in second if label.annotator == other],
        within,
    )
    return Comparison((one, other), pairing, agreement(pairing.pairs))


def as_object(found: Comparison) -> dict[str, Any]:
    """What `--json` prints. `entry` counts from 0; kappa is null where it is not defined."""
    pairing, agreed = found.pairing, found.agreement
    return {
        "annotators": list(found.names),
        "places": len(pairing.pairs),
        "only": [[_place(label) for label in side] for side in (pairing.only_first, pairing.only_second)],
        "changed": list(pairing.changed),
        "interval": METHOD,
        "overall": {"fields": list(OVERALL), **_kappa(agreed.overall)},
        "fields": {item.field: _kappa(item) for item in agreed.fields},
        "disagreements": [
            {**_place(item.first), "field": item.field, "values": list(item.values)}
            for item in agreed.disagreements
        ],
    }


def as_text(found: Comparison) -> str:
    """The readable comparison, plain text."""
    return "\n".join(_lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    pairing, agreed = found.pairing, found.agreement
    one, other = (one_line(name, 40) for name in found.names)
    yield (
        f"{len(pairing.pairs)} places labelled by both {one} and {other}; "
        f"only by {one}: {len(pairing.only_first)}, only by {other}: {len(pairing.only_second)}"
    )
    for name in pairing.changed:
        yield f"not compared: {one_line(name)} differs in its bytes between the two"
    yield ""
    yield f"{'field':<10} {'n':>5} {'agree':>6} {'kappa':>6}  95 % interval    only one answered"
    for item in (agreed.overall, *agreed.fields):
        yield _row(item)
    yield ""
    yield f"overall: {', '.join(OVERALL)} together, each with its own chance"
    yield f"interval: {METHOD}"
    if 0 < len(pairing.pairs) < SMALL:
        yield f"fewer than {SMALL} places: read the interval as a rough guide"
    if not agreed.disagreements:
        return
    yield ""
    yield f"{len(agreed.disagreements)} disagreements ({one} | {other}):"
    for difference in agreed.disagreements:
        left, right = difference.values
        label = difference.first
        place = f"{one_line(label.file)}  entry {label.where.entry}"
        name = f"  {one_line(label.id)}" if label.id else ""
        yield f"{place}{name}  {difference.field}: {left} | {right}"


def _row(item: Kappa) -> str:
    share = f"{100 * item.agreed / item.n:.0f} %" if item.n else "-"
    kappa = "-" if item.kappa is None else f"{item.kappa:.2f}"
    interval = "-" if item.low is None or item.high is None else f"{item.low:.2f} to {item.high:.2f}"
    return f"{item.field:<10} {item.n:>5} {share:>6} {kappa:>6}  {interval:<15}  {item.one_sided}"


def _kappa(item: Kappa) -> dict[str, Any]:
    return {
        "n": item.n,
        "agreed": item.agreed,
        "one_sided": item.one_sided,
        "kappa": item.kappa,
        "low": item.low,
        "high": item.high,
    }


def _place(label: Label) -> dict[str, Any]:
    return {"id": label.id, "file": label.file, "entry": label.where.entry, "event": label.where.event}


def _only(labels: Sequence[Label], file: str) -> str:
    names = sorted({label.annotator for label in labels})
    if len(names) != 1:
        raise RefusedInput(
            f"{file} holds labels by {_listed(names)}; each file of a comparison holds one annotator's "
            "(a file of two may be given twice)."
        )
    return names[0]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nobody"
