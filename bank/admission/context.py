"""What the rules over the whole bank may know beside its entries."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or table cell of a source text, as words, each with its line in `file`."""

    file: str
    words: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """Beside the entries of a bank.

    `complete`: it is held to the shipped bank's figures (Q20). `published`: every id it ever had, where a
    list of them is kept (Q21). `passages`: texts of others that must not reappear in it (Q19).
    """

    complete: bool = False
    published: Collection[str] | None = None
    passages: tuple[Passage, ...] = ()
