"""Lines of a JSONL file as bytes, in bounded memory, with their positions.

Only `\\n` ends a line: U+2028, NEL, form feed and `\\r` may stand inside a JSON string or be damage, and
splitting there would turn one whole event into two broken ones.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from sessions.clean import mend

MAX_LINE = 64 * 1024 * 1024  # bytes; a longer line is damage, not an event, and is not held in memory

MAX_DEPTH = 100  # lists and objects within one another; what agents write stays below ten
DEEP = "JSON nested too deeply"

# Python would read the words Infinity and NaN, which are not JSON, as numbers that no journal can hold.
_DECODER = json.JSONDecoder(parse_constant=str)

_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(rb"\\[uU][dD][89a-fA-F]")


class RawLine(NamedTuple):  # by far the cheapest to make, and a file may have millions
    """One line without its end. `number` counts from 0; `offset` is the byte it starts at.

    `complete`: its newline is there. `too_long`: its bytes were dropped, `size` says how many there were.
    """

    number: int
    offset: int
    data: bytes
    complete: bool = True
    too_long: bool = False
    size: int = 0


class Damaged(ValueError):  # noqa: N818 - says what is wrong with a line, not with the program
    """A line that is no JSON object; the message says what is wrong with it."""


def lines_of(file: BinaryIO, number: int = 0, offset: int = 0) -> Iterator[RawLine]:
    """The lines of `file` from where it stands. Memory is bounded by `MAX_LINE`."""
    while data := file.readline(MAX_LINE + 1):
        size = len(data)
        too_long = size > MAX_LINE
        if too_long and not data.endswith(b"\n"):
            while rest := file.readline(MAX_LINE):
                size += len(rest)
                if rest.endswith(b"\n"):
                    data = b"\n"
                    break
            else:
                data = b""
        complete = data.endswith(b"\n")
        yield RawLine(number, offset, b"" if too_long else trim(data, offset), complete, too_long, size)
        number += 1
        offset += size


def trim(data: bytes, offset: int) -> bytes:
    """A line without its end (LF or CRLF) and, at the start of a file, without a byte order mark."""
    data = data.removesuffix(b"\n").removesuffix(b"\r")
    return data.removeprefix(_BOM) if offset == 0 else data


def is_blank(line: RawLine) -> bool:
    """Nothing but white space, which says and costs nothing."""
    return not line.too_long and not line.data.strip()


def parse(line: RawLine) -> dict[str, Any]:
    """The JSON object of a line. Raises `Damaged` with what is wrong.

    NUL bytes around the object (a file system's padding after a power loss) are taken off. Halves of
    surrogate pairs, which no UTF-8 file can hold, become U+FFFD.
    """
    if line.too_long:
        raise Damaged(f"the line is {line.size} bytes long, more than {MAX_LINE}")
    data = line.data
    if b"\0" in data:
        data = data.strip(b"\0 \t\r")
        if not data:
            raise Damaged(f"{len(line.data)} NUL bytes, as a file system leaves after a power loss")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Damaged(f"byte {error.start} of the line is not UTF-8") from None
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise Damaged(DEEP) from None
    except ValueError as error:
        if not line.complete:
            raise Damaged("cut off: the file ends inside this line") from None
        what = getattr(error, "msg", "a number too long to read")
        raise Damaged(f"not JSON: {what} at character {getattr(error, 'pos', 0)}") from None
    if not isinstance(value, dict):
        raise Damaged(f"not a JSON object but {kind_of(value)}")
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and too_deep(value):
        raise Damaged(DEEP)
    return mend(value) if _SURROGATE.search(data) else value


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    return _NAMES.get(type(value), "an object")


def too_deep(value: Any) -> bool:
    """Nested deeper than what looks at the line later can follow."""
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level and depth <= MAX_DEPTH:
        inner = [item for one in level for item in (one.values() if isinstance(one, dict) else one)]
        level, depth = [item for item in inner if isinstance(item, dict | list)], depth + 1
    return bool(level)


_NAMES = {
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    type(None): "null",
}
