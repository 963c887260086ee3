"""What the reader's own terminal does for us: copying (OSC 52) and notifying (OSC 9).

In the envelope of tmux or screen where there is one. Works over SSH, because the terminal is at the
reader's end.
"""

import base64
from collections.abc import Mapping

from kernelseek_tui.plain import one_line

LIMIT = 74_994
"""Bytes of text that the strictest terminals still take (100,000 of base64 with the sequence)."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """The sequence that puts `text` on the clipboard, for the terminal that `environment` describes.

    Nothing answers it, so that nobody can tell whether it was obeyed. In tmux it is sent twice: plain, which
    tmux obeys itself with `set-clipboard on`, then in tmux's envelope, which it hands to the terminal with
    `allow-passthrough on`. With the defaults of tmux 3.3 it does neither.
    """
    payload = text.encode("utf-8", "replace")[:LIMIT]
    sequence = f"\x1b]52;c;{base64.b64encode(payload).decode('ascii')}\a"
    plain = sequence if environment.get("TMUX") else ""
    return plain + _passed_on(sequence, environment)


def osc9(text: str, environment: Mapping[str, str]) -> str:
    """The sequence for a notification of the desktop (iTerm2, WezTerm, kitty, ghostty, Windows Terminal)."""
    return _passed_on(f"\x1b]9;{one_line(text, 200)}\a", environment)


def _passed_on(sequence: str, environment: Mapping[str, str]) -> str:
    """In a device control string, in which tmux wants every escape doubled and screen wants short pieces."""
    if environment.get("TMUX"):
        escaped = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{escaped}\x1b\\"
    if environment.get("STY") or environment.get("TERM", "").startswith("screen"):
        return "".join(f"\x1bP{sequence[i : i + 240]}\x1b\\" for i in range(0, len(sequence), 240))
    return sequence
