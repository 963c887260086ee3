"""This interpreter and our five packages: are they ours, or does a foreign one stand in their place?"""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

PACKAGES = ("kernelseek_tui", "kernels", "bank", "harness", "sessions")
OLDEST = (3, 11)
HOUSE = Path(__file__).resolve().parents[2]


def python(_: Surroundings) -> Finding:
    """The interpreter that runs us."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        return Finding("python", State.MISSING, version, f"use Python {wanted} or newer", needed=True)
    return Finding("python", State.OK, f"{version}, {sys.executable}", needed=True)


def packages(around: Surroundings) -> Finding:
    """Which package each of our names imports, and foreign ones of the same name behind them."""
    first: list[str] = []
    behind: list[str] = []
    for name in PACKAGES:
        places = _places(name, around)
        if not places:
            first.append(f"{name} is not found")
        elif places[0] != HOUSE / name:
            first.append(f"{name} is a foreign package, at {places[0]}")
        behind += [f"{name} at {place}" for place in places[1:] if place != HOUSE / name]
    if first:
        advice = "install KernelSeek into an environment of its own (make install, or pipx)"
        return Finding("packages", State.MISSING, "; ".join(first), advice, needed=True)
    if behind:
        found = f"all five are ours; foreign ones lie behind them: {'; '.join(behind)}"
        advice = "nothing breaks while ours come first; an environment of its own is safer"
        return Finding("packages", State.NOTE, found, advice, needed=True)
    return Finding("packages", State.OK, f"all five are ours, in {HOUSE}", needed=True)


def _places(name: str, around: Surroundings) -> list[Path]:
    """Where a package of that name lies on the path, in the order of the path, each once."""
    found: dict[Path, None] = {}
    for entry in around.path:
        spec = PathFinder.find_spec(name, [entry or "."])
        # A folder without __init__.py is only a namespace: it stands behind every real package.
        if spec is not None and spec.origin is not None:
            place = Path(spec.origin).resolve()
            found[place.parent if place.name == "__init__.py" else place] = None
    return list(found)
