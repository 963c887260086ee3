"""Opens a transcript as UTF-8 bytes, compressed or not, whichever Unicode encoding it was saved in."""

import codecs
import io
from pathlib import Path
from typing import Any, BinaryIO, cast

from sessions.readers.packing import open_unpacked

_LOOKED_AT = 64  # bytes: JSON and Markdown begin with ASCII
_CHUNK = 1 << 16
_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def open_utf8(path: Path) -> BinaryIO:
    """The file, opened for reading; compression is taken off, UTF-16 transcoded on the way. Raises `OSError`.

    UTF-16 is known by its byte order mark, or by every other byte at the start being NUL. What cannot be
    decoded becomes U+FFFD. Positions in a transcoded file count its UTF-8 bytes; lines stay what they are.
    """
    file = open_unpacked(path)
    try:
        encoding = utf16(file.read(_LOOKED_AT))
        file.seek(0)
    except OSError:
        file.close()
        raise
    return file if encoding is None else cast("BinaryIO", io.BufferedReader(_Transcoded(file, encoding)))


def utf16(start: bytes) -> str | None:
    """The codec of a file that begins like this, where it is UTF-16; None for any other."""
    for mark, encoding in _BOMS.items():
        if start.startswith(mark):
            return encoding
    even, odd = start[0::2], start[1::2]
    if len(start) < 4 or any(even) == any(odd):
        return None
    return "utf-16-le" if any(even) else "utf-16-be"


class _Transcoded(io.RawIOBase):
    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._left = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left and not self._ended:
            data = self._file.read(_CHUNK)
            self._ended = not data
            text = self._decoder.decode(data, final=self._ended)
            self._left = memoryview(text.encode("utf-8"))
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def close(self) -> None:
        self._file.close()
        super().close()
