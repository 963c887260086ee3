"""The state of a session at one of its lines, and the kind of moment that is."""

from pathlib import Path

from bank.errors import BankError
from kernelseek_tui.decisions.watch import Watch
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


def moment_at(path: Path, line: int | None, kind: DecisionKind | None) -> tuple[SessionState, DecisionKind]:
    """Fold a journal or transcript up to the 0-based source line `line` (its end where absent).

    `kind` where given; else that of the last decision point by then, as the journal recorded it, or as
    today's detectors see it where the file records none. Raises `BankError` when there is none either, and
    what the reader raises for a file that is no session.
    """
    from sessions.transcript import TranscriptStream

    state = SessionState()
    watch = Watch()
    seen: DecisionKind | None = None
    stream = TranscriptStream(path)
    for event in stream:
        # Counted in lines of the main file as they are read: events of a journal carry their driver's places.
        if line is not None and stream.accounts[0].entries - 1 > line:
            break
        state.apply(event)
        for point in watch.look(state, event):
            seen = point.decision
    recorded = state.decisions[-1].event.decision if state.decisions else None
    found = kind or recorded or seen
    if found is None:
        where = f"by line {line}" if line is not None else "in it"
        raise BankError(f"no decision point {where}, name the kind of moment with --kind", file=str(path))
    return state, found
