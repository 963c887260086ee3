"""Copying through the terminal: OSC 52, in tmux's envelope where there is a tmux.

Works over SSH, because the terminal at the reader's end does the copying.
"""

import base64
from collections.abc import Mapping

LIMIT = 74_994
"""Bytes of text that the strictest terminals still take (100,000 of base64 with the sequence)."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """The sequence that puts `text` on the clipboard, for the terminal that `environment` describes.

    tmux and screen pass a sequence on only inside a device control string of their own; tmux wants every
    escape in it doubled, screen wants short pieces.
    """
    payload = text.encode("utf-8", "replace")[:LIMIT]
    sequence = f"\x1b]52;c;{base64.b64encode(payload).decode('ascii')}\a"
    if environment.get("TMUX"):
        escaped = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{escaped}\x1b\\"
    if environment.get("STY") or environment.get("TERM", "").startswith("screen"):
        return "".join(f"\x1bP{sequence[i : i + 240]}\x1b\\" for i in range(0, len(sequence), 240))
    return sequence
