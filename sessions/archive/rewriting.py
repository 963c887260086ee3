"""Any file of text or JSON lines, redacted, in the form it had: a transcript stays one of its client's."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sessions.archive.redactor import Redactor
from sessions.archive.writing import packing_of, write_new
from sessions.clean import MAX_DEPTH, keyed
from sessions.errors import RefusedInput
from sessions.readers.lines import MAX_LINE, RawLine, is_blank, lines_of, too_deep
from sessions.readers.opening import open_utf8

DOCUMENT_BYTES = 64 * 1024 * 1024  # a JSON document is parsed whole, and refused when it is larger
_KEY_LINES = 200  # of a private key in plain text
_KNOWN_BY = 200  # lines, one of which is a JSON value where a large file has a value a line

Progress = Callable[[int], None]
EVERY = 500  # lines between two calls of a progress function


def rewrite(source: Path, target: Path, redactor: Redactor, progress: Progress | None = None) -> str:
    """Write `source` to `target` without what `redactor` finds, and return the new file's sha256.

    JSON lines and JSON documents are redacted in their strings, so that escapes hide nothing; anything else
    as text. Compressed as the name of `target` says. Raises `RefusedInput` where `source` cannot be read or
    would not be redacted whole, and where `target` exists; `StorageError` where it cannot be written.
    """
    document = _document(source)
    if document is not None:
        return write_new(target, _rewritten_document(document, redactor), packing_of(target))
    count = 0
    for count, chunk in enumerate(_chunks(source)):
        _walk(chunk, _listener(redactor))
        if progress is not None and count % EVERY == 0:
            progress(count // 2)
    return write_new(target, _rewritten(source, redactor, count, progress), packing_of(target))


def _rewritten(source: Path, redactor: Redactor, before: int, progress: Progress | None) -> Iterator[bytes]:
    for number, chunk in enumerate(_chunks(source)):
        if isinstance(chunk, str):
            yield redactor.text(chunk).encode("utf-8")
        else:
            yield _dumped(_walk(chunk, redactor.text)) + b"\n"
        if progress is not None and number % EVERY == 0:
            progress((before + number) // 2)


def _rewritten_document(value: Any, redactor: Redactor) -> Iterator[bytes]:
    _walk(value, _listener(redactor))
    yield json.dumps(_walk(value, redactor.text), ensure_ascii=False, indent=1).encode("utf-8") + b"\n"


def _listener(redactor: Redactor) -> Callable[[str], str]:
    def hear(text: str) -> str:
        redactor.learn(text)
        return text

    return hear


def _chunks(source: Path) -> Iterator[Any]:
    """The file's lines: a JSON value where the line is one, else its text; a private key in one piece."""
    key: list[str] = []
    try:
        with open_utf8(source) as file:
            for line in lines_of(file):
                text = _text(line, source)
                value = _value(text)
                if value is not None and not key:
                    yield value
                    continue
                if key or ("-----BEGIN " in text and "-----END " not in text):
                    key.append(text)
                    if "-----END " in text or len(key) == _KEY_LINES:
                        yield "".join(key)
                        key = []
                    continue
                yield text
    except OSError as error:
        raise RefusedInput(f"{source} cannot be read: {error.strerror or error}.") from error
    if key:
        yield "".join(key)


def _text(line: RawLine, source: Path) -> str:
    if line.too_long:
        raise RefusedInput(
            f"{source}: line {line.number} is {line.size} bytes long, more than {MAX_LINE}; it cannot be "
            "redacted whole, so nothing was written."
        )
    text = line.data.decode("utf-8", "replace").replace("\0", "\ufffd")
    return text + "\n" if line.complete else text


def _value(text: str) -> Any:
    """The JSON object or list of a line; None for any other line."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and not too_deep(value) else None


def _document(source: Path) -> Any:
    """The value of a file that is one JSON document over several lines; None for any other file."""
    try:
        with open_utf8(source) as file:
            first = next((line for line in lines_of(file) if not is_blank(line)), None)
        if first is None or not first.data.lstrip().startswith((b"{", b"[")):
            return None
        if first.complete and _value(first.data.decode("utf-8", "replace")) is not None:
            return None
        with open_utf8(source) as file:
            data = file.read(DOCUMENT_BYTES + 1)
        if len(data) > DOCUMENT_BYTES:
            if any(
                len(_value(line.decode("utf-8", "replace")) or "") for line in data.split(b"\n")[:_KNOWN_BY]
            ):
                return None
            raise RefusedInput(
                f"{source} is one JSON document of more than {DOCUMENT_BYTES} bytes; it cannot be redacted "
                "whole, so nothing was written."
            )
        value = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise RefusedInput(f"{source} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and not too_deep(value) else None


def _walk(value: Any, text: Callable[[str], str], depth: int = 0) -> Any:
    if isinstance(value, str):
        return text(value)
    if depth > 2 * MAX_DEPTH:  # `too_deep` lets none of these through
        return value
    if isinstance(value, list):
        return [_walk(item, text, depth + 1) for item in value]
    if isinstance(value, dict):
        return keyed((text(key), _walk(item, text, depth + 1)) for key, item in value.items())
    return value


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
