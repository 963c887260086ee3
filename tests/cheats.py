"""The candidates of `tests/adversarial`, read from their headers (`//` in C++, `#` in Python).

    // cheat: what it does, in a sentence
    // checks: the set that refuses it: with all of these off it passes, with any one of them on it does not
    // when: timed (only for those that are right until they are timed)
    // where: pages too (for those that need a scenario with pages, or a second one), or: large

`none` in place of checks: a control, or one that never runs.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from harness.checks import Check

FOLDER = Path(__file__).with_name("adversarial")
SHARED = {".cpp": ('#include "honest.h"\n', "honest.h"), ".py": ("from honest import honest\n", "honest.py")}
_HEADER = re.compile(r"^(?://|#) (cheat|checks|when|where): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Cheat:
    """One candidate. `timed`: it shows only in timed calls. `where`: on which scenarios, "" for the usual."""

    name: str
    words: str
    checks: tuple[Check, ...]
    timed: bool
    where: str
    source: str


def whole(path: Path) -> str:
    """A candidate's source with the text that these share in place of its inclusion: it is one file."""
    line, name = SHARED[path.suffix]
    return path.read_text(encoding="utf-8").replace(line, (FOLDER / name).read_text(encoding="utf-8"))


def read(path: Path) -> Cheat:
    """A candidate by its file. Raises ValueError for one without a header."""
    header = dict(_HEADER.findall(path.read_text(encoding="utf-8")))
    if not {"cheat", "checks"} <= header.keys():
        raise ValueError(f"{path.name} does not begin with what it does and which checks refuse it")
    words = header["checks"].split()
    checks = () if words == ["none"] else tuple(Check(word) for word in words)
    return Cheat(path.stem, header["cheat"], checks, "when" in header, header.get("where", ""), whole(path))


def cheats(suffix: str = ".cpp") -> list[Cheat]:
    """All in one language, by name."""
    paths = sorted(path for path in FOLDER.glob(f"*{suffix}") if path.name != SHARED[suffix][1])
    return [read(path) for path in paths]
