"""The first baseline: a list of words for each kind, and a flag wherever one stands."""

import re
from collections.abc import Iterable

from kernelseek_tui.detecting.documents import Documents
from kernelseek_tui.detecting.score import Flag, Flagged
from sessions.vocabulary import DecisionKind

QUIET = 10
"""Entries after a flag in which the same kind is not flagged again."""

# What somebody writes down in five minutes who has read what the kinds mean and no transcript.
KEYWORDS: dict[DecisionKind, tuple[str, ...]] = {
    DecisionKind.SUSPICIOUS_WIN: ("suspicious", "impossible", "too good", "speedup", "fluke", "of peak"),
    DecisionKind.CLAIMED_LIMIT: ("ceiling", "limit", "diminishing returns", "optimal", "cannot be improved"),
    DecisionKind.CLAIMED_COMPLETION: ("done", "complete", "finished", "all tests pass", "summary", "ready"),
    DecisionKind.EXPLAINED_ANOMALY: ("tolerance", "rounding", "expected difference", "flaky", "bug in the"),
    DecisionKind.PLATEAU: ("no improvement", "plateau", "marginal", "same as before", "no change"),
    DecisionKind.REPEATED_EDIT: ("revert", "restore", "put back", "undo"),
    DecisionKind.SCOPE: ("benchmark", "baseline"),
    DecisionKind.AGENT_LOOP: ("again", "retry"),
}
_PATTERNS = {
    kind: re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words), re.IGNORECASE)
    for kind, words in KEYWORDS.items()
}


def keyword_flags(documents: Documents, kinds: Iterable[DecisionKind]) -> Flagged:
    """The flags of one transcript, in the order of its entries."""
    chosen = tuple(kinds)
    last: dict[DecisionKind, int] = {}
    flags = []
    for at, text in sorted(documents.texts.items()):
        for kind in chosen:
            found = _PATTERNS[kind].search(text)
            if found and at - last.get(kind, -QUIET) >= QUIET:
                last[kind] = at
                flags.append(Flag(at, kind, found.group(), "a keyword"))
    return Flagged(documents.entries, tuple(flags))
