"""What was taken out of a question, as kinds and counts: a draft says no more of it."""

from collections import Counter
from collections.abc import Iterable

from bank.drafting.stripping import Taken

LEAD = "it stands before the question"

_NOUNS = {
    LEAD: ("opening", "openings"),
    "the id of a scenario": ("id of a scenario", "ids of scenarios"),
    "a secret": ("secret", "secrets"),
    "a person": ("address of a person", "addresses of persons"),
    "an address": ("address on the web", "addresses on the web"),
    "quoted code": ("piece of code", "pieces of code"),
    "a file": ("name of a file", "names of files"),
    "an option of a tool": ("option of a tool", "options of tools"),
    "an identifier": ("identifier", "identifiers"),
    "names a device": ("name of a device", "names of devices"),
    "names a library, tool or project": (
        "name of a library, tool or project",
        "names of libraries, tools or projects",
    ),
    "names an operator or its shapes": ("word of one operator", "words of one operator"),
    "belongs to one architecture": ("word of one architecture", "words of one architecture"),
    "a number": ("number", "numbers"),
}


def counted(taken: Iterable[Taken]) -> str:
    """`2 names of files, 1 number`; words that were taken out together count for each of their kinds."""
    kinds = Counter(why for one in taken for why in one.why.split("; "))
    return ", ".join(f"{number} {_NOUNS[why][number > 1]}" for why, number in kinds.items())
