"""The state of a session at one of its lines, and the kind of moment that is."""

from collections.abc import Callable
from pathlib import Path

from bank.bank import Bank
from bank.errors import BankError
from kernelseek_tui.hindsight import Seer
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


def moment_at(
    path: Path,
    line: int | None,
    kind: DecisionKind | None,
    bank: Bank,
    progress: Callable[[int], None] | None = None,
) -> tuple[SessionState, DecisionKind]:
    """Fold a journal or transcript up to the 0-based source line `line`.

    `kind` where given, with the state there (at its end without a line). Else the last decision point by
    then, as the journal recorded it, or as today's detectors see it where the file records none; without a
    line the state is that of the decision point. Raises `BankError` when there is none, or when several kinds
    were seen at once, and what the reader raises for a file that is no session.
    `progress` is told the lines read.
    """
    from sessions.transcript import TranscriptStream

    seer = Seer(bank, limit=0)
    seen: list[tuple[int, DecisionKind]] = []
    stream = TranscriptStream(path)
    whole = True
    for event in stream:
        # Counted in lines of the main file as they are read: events of a journal carry their driver's places.
        if line is not None and stream.accounts[0].entries - 1 > line:
            whole = False
            break
        seen += [(moment.index, moment.decision.decision) for moment in seer.see(event)]
        if progress is not None:
            progress(stream.accounts[0].entries)
    if whole:
        seen += [(moment.index, moment.decision.decision) for moment in seer.close()]
    state = seer.state
    if kind is not None:
        return state, kind
    recorded = state.decisions[-1] if state.decisions else None
    if recorded is not None:
        return (state.as_of(recorded.index) if line is None else state), recorded.event.decision
    last = [found for at, found in seen if at == seen[-1][0]]
    if len(set(last)) > 1:
        raise BankError(f"{_words(last)} were seen at once, name one with --kind", file=str(path))
    if not last:
        where = f"by line {line}" if line is not None else "in it"
        raise BankError(f"no decision point {where}, name the kind of moment with --kind", file=str(path))
    return (state.as_of(seen[-1][0]) if line is None else state), last[0]


def _words(kinds: list[DecisionKind]) -> str:
    return " and ".join(kind.value for kind in dict.fromkeys(kinds))
