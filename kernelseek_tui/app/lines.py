"""Styled lines without a terminal: a line is spans of (text, role), a role is a word the theme colours.

Widths are terminal cells (`rich.cells`), so wide and combining characters stay where they belong.
"""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size, split_graphemes

Span = tuple[str, str]
Line = tuple[Span, ...]

# Every role a span may carry; the theme has one rule for each (`roles.tcss`).
ROLES = (
    "text",
    "strong",
    "muted",
    "faint",
    "heading",
    "code",
    "human",
    "tool",
    "add",
    "remove",
    "good",
    "bad",
    "warn",
    "flag",
    "question",
    "accent",
    "tag",
    "hit",
    "chosen",
    "key",
)


def line(*spans: Span) -> Line:
    """A line from spans, empty ones left out."""
    return tuple(span for span in spans if span[0])


def text_of(item: Iterable[Span]) -> str:
    """The characters of a line."""
    return "".join(text for text, _ in item)


def width_of(item: Iterable[Span]) -> int:
    """The cells a line takes."""
    return sum(cell_len(text) for text, _ in item)


def clip(item: Line, width: int, more: str = "…") -> Line:
    """`item` cut to `width` cells, with `more` where something was cut off."""
    if width_of(item) <= width:
        return item
    room = max(0, width - cell_len(more))
    out: list[Span] = []
    for text, role in item:
        cells = cell_len(text)
        if cells > room:
            kept = set_cell_size(text, room).rstrip(" ") if room else ""
            out.append((kept + more if width >= cell_len(more) else "", role))
            break
        out.append((text, role))
        room -= cells
    return line(*out)


def spread(left: Line, right: Line, width: int) -> Line:
    """`left` and `right` at the two ends of `width` cells; `left` is clipped where both do not fit."""
    right_cells = width_of(right)
    if right_cells + 4 > width:
        return clip(left, width)
    left = clip(left, width - right_cells - 1)
    return (*left, (" " * (width - right_cells - width_of(left)), "text"), *right)


def pad(text: str, width: int, right: bool = False) -> str:
    """`text` in exactly `width` cells, to the left or the right; cut with … where it is longer."""
    cells = cell_len(text)
    if cells > width:
        return set_cell_size(text, max(0, width - 1)) + "…" if width > 0 else ""
    space = " " * (width - cells)
    return space + text if right else text + space


def _chop(text: str, width: int) -> list[str]:
    """A word longer than a row, in pieces of at most `width` cells; no grapheme is split."""
    if text.isascii():
        return [text[i : i + width] for i in range(0, len(text), width)]
    pieces: list[str] = []
    start = used = 0
    for begin, end, cells in split_graphemes(text)[0]:
        if used + cells > width and begin > start:
            pieces.append(text[start:begin])
            start, used = begin, 0
        used += cells
        if end == len(text):
            pieces.append(text[start:])
    return pieces or [text]


def _words(text: str) -> list[str]:
    """`text` cut after each run of spaces; nothing is lost."""
    out: list[str] = []
    start = 0
    for index in range(1, len(text)):
        if text[index] != " " and text[index - 1] == " ":
            out.append(text[start:index])
            start = index
    out.append(text[start:])
    return out


def wrap(spans: Sequence[Span], width: int, hang: Line = ()) -> list[Line]:
    """Break one logical line into rows of at most `width` cells, at spaces where there are some.

    Rows after the first begin with `hang`. No character is dropped but spaces at a break.
    """
    width = max(4, width)
    if len(spans) == 1 and len(spans[0][0]) <= width and spans[0][0].isascii():
        return [tuple(spans)]
    hang_cells = width_of(hang)
    if hang_cells > width // 2:
        hang, hang_cells = (), 0
    rows: list[Line] = []
    row: list[Span] = []
    used = 0

    def break_row() -> None:
        nonlocal row, used
        if row:
            row[-1] = (row[-1][0].rstrip(" "), row[-1][1])
        rows.append(line(*row))
        row, used = list(hang), hang_cells

    for text, role in spans:
        buffer: list[str] = []
        for word in _words(text):
            cells = cell_len(word)
            bare = cells - (len(word) - len(word.rstrip(" ")))
            if used + bare <= width:
                buffer.append(word)
                used += cells
                continue
            if buffer:
                row.append(("".join(buffer), role))
                buffer = []
            if used > (hang_cells if rows else 0) and bare <= width - hang_cells:
                break_row()
                buffer.append(word)
                used += cells
                continue
            # Longer than a row of its own: fill what is left of this one, then go on in full rows.
            if width - used < 2:
                break_row()
            first = _chop(word, width - used)[0]
            rest = word[len(first) :]
            row.append((first, role))
            used += cell_len(first)
            for piece in _chop(rest, max(2, width - hang_cells)) if rest else ():
                if not piece.strip(" "):
                    continue
                break_row()
                row.append((piece, role))
                used += cell_len(piece)
        if buffer:
            row.append(("".join(buffer), role))
    if row or not rows:
        if row and used > width:
            row[-1] = (row[-1][0].rstrip(" "), row[-1][1])
        rows.append(line(*row))
    return rows


def wrap_text(text: str, role: str, width: int, lead: Line = (), hang: Line | None = None) -> list[Line]:
    """Wrap one line of safe text that begins with `lead` and goes on under `hang` (default: as `lead`)."""
    if hang is None:
        hang = ((" " * width_of(lead), "text"),) if lead else ()
    return wrap((*lead, (text, role)), width, hang)
