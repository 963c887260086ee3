"""The figures of a ranker as one JSON object."""

from collections.abc import Mapping
from typing import Any

from bank.evaluation.hindsight import Hindsight, Named
from bank.evaluation.outcome import Reading
from bank.evaluation.report import Report
from bank.evaluation.scores import Case, Figures, Scores
from kernelseek_tui.cli.bank.ranking_text import SPLITS


def as_object(report: Report, refused: Mapping[str, str]) -> dict[str, Any]:
    """Everything: shares are `hits` of `states`; what has no interval has none."""
    return {
        "bank": report.bank,
        "states": len(report.ranker.cases),
        "sessions": len({case.label.file for case in report.ranker.cases}),
        "kind_none": list(report.unknown),
        "out_of_reach": list(report.unreachable),
        "refused": [{"file": name, "why": why} for name, why in refused.items()],
        "methods": {name: _method(scores) for name, scores in report.methods.items()},
        "splits": {
            name: {
                part: _figures(found, expected=False) | {"chance": _figures(by_chance[part], expected=True)}
                for part, found in report.ranker.split(key).items()
            }
            for name, key in SPLITS.items()
            for by_chance in (report.chance.split(key),)
        },
        "next_gain": _hindsight(report.hindsight),
        "cases": [_case(case) for case in report.ranker.cases],
    }


def _method(scores: Scores) -> dict[str, Any]:
    return {
        reading.value: {
            "known_kinds": _figures(scores.figures(reading), scores.expected),
            "all": _figures(scores.figures(reading, unknown=True), scores.expected),
        }
        for reading in Reading
    }


def _figures(found: Figures, expected: bool) -> dict[str, Any]:
    interval = None if expected else found.reciprocal_interval
    return {
        "states": found.total,
        "hit@1": _share(found.hits1, found.total, None if expected else found.interval1),
        "hit@3": _share(found.hits3, found.total, None if expected else found.interval3),
        "mrr": {"value": _rounded(found.reciprocal)} | _edges(interval),
        "hit@3_by_session": _rounded(found.macro3),
    }


def _share(hits: float, total: int, interval: tuple[float, float] | None) -> dict[str, Any]:
    return {"hits": round(hits, 3), "value": _rounded(hits / total if total else None)} | _edges(interval)


def _edges(interval: tuple[float, float] | None) -> dict[str, Any]:
    return {} if interval is None else {"low": round(interval[0], 3), "high": round(interval[1], 3)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _hindsight(found: Hindsight) -> dict[str, Any]:
    states = found.states
    return {
        "named": _share(found.hits, len(states), found.interval) | {"states": len(states)},
        "chance": {
            "of_eight": _mean([state.of_eight for state in states]),
            "of_kind": _mean([state.of_kind for state in states]),
            "of_entries": _mean([state.of_entries for state in states]),
        },
        "frequent": _mean([float(state.frequent) for state in states]),
        "cases": [_named(state) for state in states],
    }


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None


def _named(state: Named) -> dict[str, Any]:
    return {
        "id": state.id,
        "layer": state.gain.layer.value,
        "entry": state.gain.entry,
        "derived": state.gain.derived,
        "named": state.named,
        "offered": state.offered,
        "reachable": state.reachable,
    }


def _case(case: Case) -> dict[str, Any]:
    label = case.label
    return {
        "id": label.id,
        "file": label.file,
        "task": label.task,
        "entry": label.place,
        "kind": label.kind.value if label.kind is not None else "none",
        "groups": list(label.groups),
        "layers": list(label.layers),
        "top": [{"id": place.entry, "group": place.group, "layer": place.layer} for place in case.top],
        "ranks": {reading.value: rank for reading, rank in (case.ranks or {}).items()},
    }
