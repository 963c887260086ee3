"""CSV and TSV as objects, a row each, in bounded memory; a row that is no row costs itself."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from sessions.readers.formats import Item
from sessions.readers.lines import is_blank, lines_of
from sessions.readers.opening import open_utf8


def records(delimiter: str, quoted: bool = True) -> Callable[[Path], Iterator[Item]]:
    """Reads the rows under a header line as objects of text. `number` is the line a row ends at, from 0.

    `quoted`: a field in double quotes may hold the delimiter and line ends.
    """

    def read(path: Path) -> Iterator[Item]:
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        with open_utf8(path) as file:
            reader = csv.reader(_text(file), delimiter=delimiter, quoting=quoting)
            header: list[str] | None = None
            while True:
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield Item(max(0, reader.line_num - 1), damage=f"no row of a table: {error}")
                    continue
                if header is None:
                    header = [cell.strip() for cell in cells]
                elif cells:
                    yield _item(max(0, reader.line_num - 1), header, cells)

    return read


def _item(number: int, header: list[str], cells: list[str]) -> Item:
    if len(cells) > len(header):
        return Item(number, damage=f"{len(cells)} fields under {len(header)} columns")
    value: dict[str, Any] = dict(zip(header, cells, strict=False))
    return Item(number, value)


def _text(file: Any) -> Iterator[str]:
    for line in lines_of(file):
        if is_blank(line):
            continue
        yield line.data.decode("utf-8", "replace").replace("\0", "\ufffd") + "\n"
