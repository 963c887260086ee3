"""A light reading of Markdown: headings, fences, bold and code are styled, every word stays.

The text is only coloured, never interpreted: links, tables and HTML stay as they were written.
"""

import re

from kernelseek_tui.app.lines import Line, Span, width_of, wrap
from kernelseek_tui.app.render.registry import Scene, cut
from kernelseek_tui.plain import plain_lines

_INLINE = re.compile(r"\*\*(?=[^\s*])(.+?)(?<=\S)\*\*(?!\*)|`([^`]+)`")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})\s*(\S*)")
_BULLET = re.compile(r"^(\s*)([-*+]|\d{1,3}[.)])\s+")
LONGEST_STYLED = 4000


def spans_of(text: str, role: str = "text") -> list[Span]:
    """One line with bold and code parts styled; the marks that made them so stay out of sight."""
    if len(text) > LONGEST_STYLED:
        return [(text, role)]
    spans: list[Span] = []
    end = 0
    for match in _INLINE.finditer(text):
        if match.start() > end:
            spans.append((text[end : match.start()], role))
        bold, code = match.groups()
        spans += spans_of(bold, "strong") if bold is not None else [(code, "code")]
        end = match.end()
    if end < len(text) or not spans:
        spans.append((text[end:], role))
    return spans


def markdown(text: str, scene: Scene, first: Line, limit: int, role: str = "text") -> list[Line]:
    """Rows of a Markdown text under the lead `first`, cut to `limit` unless expanded."""
    source = plain_lines(text.strip("\n"))
    most = 1 << 30 if scene.expanded else (limit + 2) * scene.width
    indent: Line = ((" " * width_of(first), "text"),) if first else ()
    rows: list[Line] = []
    fenced = False
    for index, item in enumerate(source):
        begin = first if index == 0 else indent
        bare = item.lstrip()
        if fence := _FENCE.match(item):
            fenced = not fenced
            if fenced and fence[1]:  # the fence itself is said by the code's colour; its language in words
                rows += wrap((*begin, (fence[1][:most], "faint")), scene.width, indent)
        elif fenced:
            rows += wrap((*begin, (item[:most], "code")), scene.width, indent)
        elif bare.startswith("#") and bare.lstrip("#").startswith(" "):
            rows += wrap((*begin, (bare.lstrip("#").strip()[:most], "heading")), scene.width, indent)
        else:
            bullet = _BULLET.match(item)
            hang: Line = (*indent, (" " * len(bullet.group()), "text")) if bullet else indent
            rows += wrap((*begin, *spans_of(item[:most], role)), scene.width, hang)
        if not scene.expanded and len(rows) > limit + 1:
            return cut(rows, scene, limit, hidden=len(source) - index - 1)
    return cut(rows or [first], scene, limit)
