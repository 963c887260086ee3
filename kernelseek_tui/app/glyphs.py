"""Every sign the screen draws, in one table with an ASCII twin for terminals without UTF-8."""

import locale
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Signs by what they mean. All are one cell wide, `more` and `times` in ASCII excepted."""

    flag: str = "⚑"
    tool: str = "●"
    branch: str = "└"
    bar: str = "▌"
    rule: str = "─"
    ok: str = "✓"
    bad: str = "✗"
    unmet: str = "○"
    same: str = "≈"
    up: str = "▲"
    down: str = "▼"
    even: str = "◆"
    play: str = "▶"
    pause: str = "‖"
    dot: str = "·"
    more: str = "…"
    times: str = "×"
    arrow: str = "→"
    thought: str = "∴"
    edit: str = "±"
    question: str = "?"
    human: str = "›"
    cursor: str = "┃"
    quote_open: str = "“"
    quote_close: str = "”"
    minus: str = "−"
    levels: str = " ▁▂▃▄▅▆▇█"
    braille: bool = True


UNICODE = Glyphs()
ASCII = Glyphs(
    flag="!",
    tool="*",
    branch="`",
    bar="|",
    rule="-",
    ok="v",
    bad="x",
    unmet="-",
    same="~",
    up="^",
    down="v",
    even="o",
    play=">",
    pause="=",
    dot=".",
    more="...",
    times="x",
    arrow="->",
    thought=":",
    edit="+",
    question="?",
    human=">",
    cursor="|",
    quote_open='"',
    quote_close='"',
    minus="-",
    levels=" .:-=+*#@",
    braille=False,
)


def pick_glyphs() -> Glyphs:
    """The table for this terminal: ASCII when the locale cannot encode the other.

    `KERNELSEEK_ASCII=1` asks for ASCII whatever the locale says.
    """
    if os.environ.get("KERNELSEEK_ASCII", "0") not in ("", "0"):
        return ASCII
    # Not `getpreferredencoding`: in Python's UTF-8 mode, which LC_ALL=C turns on, that is always UTF-8.
    encoding = locale.nl_langinfo(locale.CODESET).lower().replace("-", "")
    return UNICODE if encoding in ("utf8", "utf16", "gb18030") else ASCII
