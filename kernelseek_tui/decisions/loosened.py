"""Whether an edit of what judges made it easier to pass: tolerances, scales, seeds, cases, skips, asserts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SETTINGS = re.compile(
    r"\b(?:\w*tol(?:erance)?s?\w*|[ar]tol|eps(?:ilon)?|thresholds?|min_cos\w*|cosine\w*|\w*scales?|"
    r"seeds?|max_(?:abs|rel)\w*|"
    r"allowed\w*|num_(?:tests|trials|seeds|correct\w*)|n_trials|bfloat16|float16|float32|"
    r"fp8\w*)\b[\"']?\]?\s*[:=]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
_ENTRY = re.compile(r"\s*[\"']?(?P<name>[\w.\[\]-]+)[\"']?\s*[:=](?P<value>.*\d.*)")
_SKIPS = re.compile(
    r"\b(?:skip\w*|xfail|expectedFailure|# ?noqa|DISABLED|TODO)\b|return True\b|^\s*pass\s*$|^\s*continue\s*$"
)
_ASSERTS = re.compile(r"\bassert\w*\b|\ballclose\b|\braise\b|\breturn False\b")


@dataclass(frozen=True, slots=True)
class Loosened:
    """What was done, as the rest of "An edit outside the candidate ...", and the words that show it."""

    what: str
    quote: str


def loosened(removed: Sequence[str], added: Sequence[str]) -> Loosened | None:
    """How an edit, given as its removed and added lines, may make a check easier; None when it shows nothing.

    A changed number counts in either direction: which one is the easier is not always to be seen.
    """
    for old, new in _pairs(removed, added):
        return Loosened("changes a setting of the check", f"{old.strip()} -> {new.strip()}")
    skips = [line for line in added if _SKIPS.search(line)]
    if skips:
        return Loosened("skips part of the check", skips[0].strip())
    before, after = (sum(1 for line in lines if _ASSERTS.search(line)) for lines in (removed, added))
    if before > after:
        gone = next(line for line in removed if _ASSERTS.search(line))
        return Loosened("takes a check out", gone.strip())
    setting = next((line for line in removed if _SETTINGS.search(line) and _NUMBER.search(line)), None)
    if setting is not None and not added:
        return Loosened("takes a setting of the check out", setting.strip())
    return None


def _pairs(removed: Sequence[str], added: Sequence[str]) -> list[tuple[str, str]]:
    """Lines that stayed the same but for a number or a name of a setting, with the setting's word on them."""
    found = []
    for old in removed:
        if not _SETTINGS.search(old):
            continue
        shape = _NUMBER.sub("0", old).split()
        for new in added:
            if _NUMBER.sub("0", new).split() == shape and _NUMBER.findall(old) != _NUMBER.findall(new):
                found.append((old, new))
                break
            one, other = _ENTRY.match(old), _ENTRY.match(new)
            if one and other and one["name"] != other["name"] and one["value"] == other["value"]:
                found.append((old, new))  # the same value under another name
                break
    return found
