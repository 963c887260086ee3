"""Values of `kernelseek bank new` as they are typed: moves and outcomes."""

from bank.question import Moves, Outcome
from sessions.vocabulary import Layer

LAYERS = ", ".join(layer.value for layer in Layer)
_VERDICTS = ("reopen", "stand")


def moves_of(text: str) -> Moves:
    """`kernel:host` as moves. Raises `ValueError` with one sentence."""
    start, mark, end = text.strip().partition(":")
    known = {layer.value for layer in Layer}
    if not mark or start.strip() not in known or end.strip() not in known:
        raise ValueError(f"write FROM:TO, as in kernel:host, with two of {LAYERS}")
    return Moves.model_validate({"from": start.strip(), "to": end.strip()})


def outcome_of(text: str) -> Outcome:
    """`it is large=host` as an outcome. Raises `ValueError` with one sentence."""
    reading, _, place = text.rpartition("=")
    reading, place = reading.strip(), place.strip()
    if not reading or (place not in _VERDICTS and place not in {layer.value for layer in Layer}):
        raise ValueError(
            f"write READING=NEXT, as in 'it is large=host'; NEXT is reopen, stand or one of {LAYERS}"
        )
    return Outcome.model_validate({"if": reading, "verdict" if place in _VERDICTS else "next": place})
