"""The one way outside text reaches the screen: what a terminal would obey is made visible instead.

Text from agents, tools and transcripts is data. It is never parsed as markup, and no control
character, escape sequence or direction override in it is passed on.
"""

import re

from rich.cells import cell_len

TAB = 4

# A zero-width joiner belongs between two emoji; anywhere else it glues what follows to what stands before.
_EMOJI = "\u231a-\u2bff\ufe0f\U0001f000-\U0001faff"
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb]"
    f"|(?<![{_EMOJI}])\u200d|\u200d(?![{_EMOJI}])"
)


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)  # the control pictures: ␀ … ␟, escape is ␛
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"  # a lone surrogate cannot be written to a terminal at all
    return f"‹U+{code:04X}›"


def visible(text: str) -> str:
    """`text` with every unsafe character shown; newlines and tabs are kept.

    CR LF counts as a newline; a lone CR, U+2028 and the like are shown and break no line.
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(_shown, text)


def plain_lines(text: str) -> list[str]:
    r"""The lines of `text`, split at `\n` only, safe to draw, tabs set to columns of 4."""
    return [line.expandtabs(TAB) if "\t" in line else line for line in visible(text).split("\n")]


def line(text: str) -> str:
    """`text` on one line, whole: its newlines are shown too."""
    return "␊".join(plain_lines(text))


def one_line(text: str, limit: int = 400) -> str:
    """`text` on one line for a label: runs of white space become a space, the rest is cut at `limit`."""
    flat = " ".join(visible(text[: 4 * limit]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_TWINS = str.maketrans("×…“”–−µ·±←→↑↓⚑", 'x.""--u.+<>^v!')


def ascii_only(text: str) -> str:
    """`text` for a terminal without UTF-8: as wide as before, `?` for what has no twin in ASCII."""
    text = text.translate(_TWINS)
    return text if text.isascii() else "".join(c if c.isascii() else "?" * cell_len(c) for c in text)
