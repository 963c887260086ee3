"""Compressed transcripts: known by their first bytes, read as what is in them, in bounded memory."""

import errno
import gzip
import io
import lzma
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

_LONGEST = 6  # bytes of a magic number
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
_FAULTS = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)

# What stands in for the rest of damaged data: it ends the file inside a line, so a reader reports the cut.
_CUT = b"\x1a"


def open_unpacked(path: Path) -> BinaryIO:
    """The file, opened for reading; gzip and xz are unpacked on the way. Raises `OSError`.

    Data that is cut off or damaged gives all that stands before the damage, then ends inside a line.
    """
    file = path.open("rb")
    try:
        start = file.read(_LONGEST)
        file.seek(0)
        if start.startswith(_ZSTD):
            raise OSError(errno.EINVAL, "it is compressed with zstd; unpack it first: zstd -d FILE")
    except OSError:
        file.close()
        raise
    if start.startswith(_GZIP):
        return _unpacked(gzip.GzipFile(fileobj=file, mode="rb"), file)
    if start.startswith(_XZ):
        return _unpacked(lzma.LZMAFile(file), file)
    return file


def is_packed(path: Path) -> bool:
    """Whether the file is compressed in a way that `open_unpacked` takes off. Raises `OSError`."""
    with path.open("rb") as file:
        return file.read(_LONGEST).startswith((_GZIP, _XZ))


def _unpacked(inner: Any, file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Unpacked(inner, file), 1 << 16))


class _Unpacked(io.RawIOBase):
    def __init__(self, inner: Any, file: BinaryIO) -> None:
        self._inner = inner
        self._file = file  # neither module closes what it was given
        self._over = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._over = False
        return int(self._inner.seek(offset, whence))

    def tell(self) -> int:
        return int(self._inner.tell())

    def readinto(self, buffer: Any) -> int:
        if self._over:
            return 0
        try:
            # Not `read`: it would lose what stands before the damage within the same call.
            data = self._inner.read1(len(buffer))
        except _FAULTS:
            self._over = True
            data = _CUT
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        self._file.close()
        super().close()
