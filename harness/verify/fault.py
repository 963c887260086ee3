"""A place in a record that says something else than follows from the rest of it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RELATIVE = 1e-6
"""Between one machine's logarithms and another's."""
ABSOLUTE = 1e-12
"""For logarithms about 0, where nothing is relative."""
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Fault:
    """`field` is a path such as `scenarios.3.timing.low`; `what` says in words without a full stop what is
    wrong there."""

    field: str
    what: str

    def __str__(self) -> str:
        return f"{self.field}: {self.what}"


def close(said: float, found: float) -> bool:
    """Whether two numbers are one, but for the machine that computed them."""
    return math.isclose(said, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def differences(field: str, said: Any, found: Any, source: str = "samples give") -> Iterator[Fault]:
    """Every leaf of `said` that is not what was `found`; both are plain data (numbers, text, lists, tables).

    A whole number, a text, a truth or an absence has to be equal; other numbers have to be `close`.
    """
    if isinstance(said, Mapping) and isinstance(found, Mapping):
        for key in (*found, *(key for key in said if key not in found)):
            if key not in said:
                yield Fault(f"{field}.{key}", "is missing")
            elif key not in found:
                yield Fault(f"{field}.{key}", "is nothing that belongs there")
            else:
                yield from differences(f"{field}.{key}", said[key], found[key], source)
    elif _is_list(said) and _is_list(found):
        if len(said) != len(found):
            yield Fault(field, f"has {len(said)} items, {source} {len(found)}")
            return
        for index, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from differences(f"{field}.{index}", one, other, source)
    elif not _same(said, found):
        words = (_words(said), _words(found))
        if words[0] == words[1]:
            words = (repr(said), repr(found))
        yield Fault(field, "is missing" if said is None else f"says {words[0]}, {source} {words[1]}")


def _same(said: Any, found: Any) -> bool:
    if isinstance(said, float) and isinstance(found, int | float) and not isinstance(found, bool):
        return close(said, found)
    return bool(said == found)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _words(value: Any) -> str:
    if value is None:
        return "none"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
