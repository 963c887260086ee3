"""How the detectors do on labelled transcripts: alarms per 100 entries, hits and misses.

    python benchmarks/detectors.py ../shared/cases/traces/labels.json

A label is hit when a decision point of its kind is raised by an event of one of its entries (one entry of
grace, since a message may span two). A negative fires when a claim kind is raised there, unless the label's
second reading saw that kind.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from kernelseek_tui.decisions.watch import Watch
from sessions.errors import RefusedInput
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

KINDS = ("claimed_limit", "claimed_completion", "plateau", "scope")
NEGATIVE_KINDS = ("claimed_limit", "claimed_completion")


def points_of(path: Path) -> tuple[int, list[tuple[int, str, str]]]:
    """Entries of a file, and its decision points as (line, kind, quote)."""
    stream, state, watch = TranscriptStream(path), SessionState(), Watch()
    lines: dict[str, int] = {}
    found = []
    for event in stream:
        state.apply(event)
        if event.source is not None:
            lines[event.id] = event.source.line
        found += watch.look(state, event)
    found += watch.close(state)
    points = [(lines[point.parent or ""], point.decision.value, point.evidence[0].quote) for point in found]
    return stream.accounts[0].entries, points


def lines_of(where: dict[str, list[int]]) -> list[int]:
    return where.get("entry") or [line - 1 for line in where.get("line", [])]


def fired(points: list[tuple[int, str, str]], where: list[int], kind: str) -> bool:
    return any(seen == kind and any(0 <= line - at <= 1 for at in where) for line, seen, _ in points)


def main(labels_path: Path) -> None:
    labels: dict[str, list[dict[str, Any]]] = json.loads(labels_path.read_text())
    by_file: dict[str, list[tuple[int, str, str]]] = {}
    print(f"{'entries':>7} {'/100':>5}  {'limit':>5} {'compl':>5} {'plat':>5} {'scope':>5}  {'s':>5}  file")
    for path in sorted(labels_path.parent.rglob("*")):
        if not path.is_file() or path == labels_path:
            continue
        start = time.perf_counter()
        try:
            entries, points = points_of(path)
        except RefusedInput:
            continue
        name = str(path.relative_to(labels_path.parent))
        by_file[name] = points
        count = Counter(kind for _, kind, _ in points)
        rate = 100 * len(points) / max(entries, 1)
        cells = " ".join(f"{count[kind]:>5}" for kind in KINDS)
        print(f"{entries:>7} {rate:>5.1f}  {cells}  {time.perf_counter() - start:>5.2f}  {name[-70:]}")
    for kind in KINDS:
        rows = [row for row in labels["positives"] if row["kind"] == kind and row["file"] in by_file]
        real = [row for row in rows if row["verdict"] != "NOT_A_MOMENT"]
        hits = [row["id"] for row in real if fired(by_file[row["file"]], lines_of(row["where"]), kind)]
        missed = [row["id"] for row in real if row["id"] not in hits]
        print(f"{kind}: {len(hits)}/{len(real)} hit; missed: {' '.join(missed) or 'none'}")
    negatives = [row for row in labels["negatives"] if row["file"] in by_file]
    negatives += [
        {**row, "not_kind": [row["kind"]]}
        for row in labels["positives"]
        if row["verdict"] == "NOT_A_MOMENT" and row["file"] in by_file
    ]
    wrong = [
        f"{row['id']}:{kind}"
        for row in negatives
        for kind in row.get("not_kind") or NEGATIVE_KINDS
        if fired(by_file[row["file"]], lines_of(row["where"]), kind) and row["second"]["kind"] != kind
    ]
    print(f"negatives fired: {len(wrong)}/{len(negatives)} {' '.join(wrong)}")
    for name, points in by_file.items():
        for line, kind, quote in points:
            print(f"{name[-40:]} {line} {kind}: {quote[:120]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
