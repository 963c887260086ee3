"""What the reader's own terminal does for us: copying (OSC 52) and notifying (OSC 9).

In tmux's envelope where there is a tmux. Works over SSH, because the terminal is at the reader's end.
"""

import base64
from collections.abc import Mapping

from kernelseek_tui.plain import one_line

LIMIT = 74_994
"""Bytes of text that the strictest terminals still take (100,000 of base64 with the sequence)."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """The sequence that puts `text` on the clipboard, for the terminal that `environment` describes.

    tmux and screen pass a sequence on only inside a device control string of their own; tmux wants every
    escape in it doubled, screen wants short pieces.
    """
    payload = text.encode("utf-8", "replace")[:LIMIT]
    return _passed_on(f"\x1b]52;c;{base64.b64encode(payload).decode('ascii')}\a", environment)


def osc9(text: str, environment: Mapping[str, str]) -> str:
    """The sequence for a notification of the desktop (iTerm2, WezTerm, kitty, ghostty, Windows Terminal)."""
    return _passed_on(f"\x1b]9;{one_line(text, 200)}\a", environment)


def _passed_on(sequence: str, environment: Mapping[str, str]) -> str:
    if environment.get("TMUX"):
        escaped = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{escaped}\x1b\\"
    if environment.get("STY") or environment.get("TERM", "").startswith("screen"):
        return "".join(f"\x1bP{sequence[i : i + 240]}\x1b\\" for i in range(0, len(sequence), 240))
    return sequence
