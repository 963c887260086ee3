"""What became of a question in one line, as a screen has room for it."""

import math

from bank.effects.record import Outcome

_CLAIMS = {
    "withdrawn": "the claim was withdrawn",
    "upheld": "the claim was tried and upheld",
    "refuted": "the claim was refuted",
}


def outcome_words(found: Outcome, times: str = "×", arrow: str = "→") -> str:
    """`a number after 3 calls, host measured for the first time, best 1.41× → 1.52× in 5 evaluations`.

    `times` and `arrow` are the signs to write it with. While the window is open it says `so far`.
    """
    parts = [_number(found)]
    if found.first_measured:
        parts.append(
            f"{_listed([layer.value for layer in found.first_measured])} measured for the first time"
        )
    if found.claim in _CLAIMS:
        parts.append(_CLAIMS[found.claim])
    if found.base is not None and found.changes:
        parts.append(_best(found, times if found.origin in ("judge", "parsed") else "", arrow))
    if found.regression in ("wrong", "slower"):
        parts.append("a wrong one among them" if found.regression == "wrong" else "a slower one among them")
    return ", ".join(parts)


def _number(found: Outcome) -> str:
    if found.calls is not None:
        return f"a number after {_count(found.calls, 'call')}"
    return "no number so far" if found.ended == "end" else "no number came back"


def _best(found: Outcome, times: str, arrow: str) -> str:
    base, change = found.base or 0.0, found.changes[-1]
    measured = _count(len(found.changes), "evaluation")
    if change <= 0:
        return f"best still {_score(base)}{times} after {measured}"
    after = _score(base * math.exp(change))
    return f"best {_score(base)}{times} {arrow} {after}{times} in {measured}"


def _score(value: float) -> str:
    return f"{value:.2f}" if 0.1 <= value < 1000 else f"{value:.3g}"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
