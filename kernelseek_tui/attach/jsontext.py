"""JSON that is read so strictly that nothing is lost when it is written again."""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn


def load(data: bytes) -> Any:
    """JSON whose meaning survives being written again. Raises `ValueError`, which says what is wrong."""
    try:
        return json.loads(
            data,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_name_once,
        )
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("is not JSON") from error


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"holds {word}, which JSON does not know")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"holds the number {text[:20]}, which is too large to be kept")
    return number


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:  # Python's own limit on digits
        raise ValueError(f"holds a number of {len(text)} digits, which is too large to be kept") from error


def _each_name_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"names {twice[:40]!r} twice in one object, so one of the two would be lost")
    return found


def dump(settings: dict[str, Any], like: bytes | None) -> bytes:
    """JSON with the line ends, the final newline and the byte order mark of `like`."""
    like = b"\n" if like is None else like
    text = json.dumps(settings, indent=2, ensure_ascii=_has_surrogates(settings), allow_nan=False)
    data = text.encode()
    if b"\r\n" in like:
        data = data.replace(b"\n", b"\r\n")
    end = b"\r\n" if like.endswith(b"\r\n") else b"\n" if like.endswith(b"\n") else b""
    return (b"\xef\xbb\xbf" if like.startswith(b"\xef\xbb\xbf") else b"") + data + end


def _has_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
