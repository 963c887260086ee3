"""How the detectors do on labelled transcripts, beside two baselines, on the tuned half and the other one.

    python -m benchmarks.detectors ../shared/cases/traces/labels.json [--baselines] [--flags tuned|held-out]

Every transcript below the labels' folder is read, labelled or not: alarms count everywhere. A file belongs to
the tuned half when the SHA-256 of its name is even; rules were written while looking at that half.
"""

import argparse
import hashlib
import time
from pathlib import Path

from kernelseek_tui.detecting.documents import Documents, documents_of
from kernelseek_tui.detecting.flags import flags_of
from kernelseek_tui.detecting.keywords import keyword_flags
from kernelseek_tui.detecting.labels import Labels, rows_of
from kernelseek_tui.detecting.score import Flagged, Score, score
from kernelseek_tui.detecting.tfidf import tfidf_flags
from sessions.errors import RefusedInput
from sessions.labels import read_labels


def tuned(name: str) -> bool:
    """Whether a file belongs to the half that rules were written on."""
    return int(hashlib.sha256(name.rsplit("/", 1)[-1].encode()).hexdigest(), 16) % 2 == 0


def transcripts(labels_path: Path) -> dict[str, Path]:
    """Every file below the labels' folder that may be a transcript, by its name in the labels."""
    folder = labels_path.parent
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".md")
    return {str(path.relative_to(folder)): path for path in files if "labels" not in path.name}


def report(name: str, found: Score) -> None:
    """One block of numbers."""
    low, high = found.wrong.interval
    worst = f"{found.worst_file[1]:.1f} in {found.worst_file[0][-40:]}" if found.worst_file else "-"
    wrong, fired = found.wrong, found.fired
    print(f"== {name}: wrong {wrong.hits}/{wrong.total} [{low:.2f}, {high:.2f}]", *found.wrong_missed)
    print(f"   negatives fired {fired.hits}/{fired.total}", *found.fired_names)
    print(
        f"   {found.alarms} alarms in {found.entries} entries: {found.per_hundred:.2f} per 100, most {worst}"
    )
    for kind in found.kinds:
        delay = "-" if kind.delay is None else f"{kind.delay:g}"
        print(
            f"   {kind.kind:<19} recall {kind.recall.hits}/{kind.recall.total} on labels "
            f"{kind.precision.hits}/{kind.precision.total} delay {delay:>4} flags {kind.flags:>3} "
            f"missed {' '.join(kind.missed) or '-'}"
        )


def halves(name: str, labels: Labels, flagged: dict[str, Flagged]) -> None:
    """The same numbers for all files and for each half."""
    report(f"{name}, all", score(labels, flagged))
    for half, chosen in (("tuned half", True), ("held-out half", False)):
        files = {file: one for file, one in flagged.items() if tuned(file) is chosen}
        report(f"{name}, {half}", score(labels.of(frozenset(files)), files))


def main() -> None:
    """Read everything, then print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("labels", type=Path)
    parser.add_argument("--baselines", action="store_true")
    parser.add_argument("--flags", choices=("tuned", "held-out"))
    given = parser.parse_args()
    labels = rows_of(read_labels(given.labels))
    flagged: dict[str, Flagged] = {}
    start = time.perf_counter()
    for name, path in transcripts(given.labels).items():
        try:
            flagged[name] = flags_of(path)
        except RefusedInput:
            continue
    print(f"{len(flagged)} files in {time.perf_counter() - start:.1f} s")
    halves("detectors", labels, flagged)
    if given.baselines:
        kinds = sorted({row.kind for row in labels.positives})
        paths = transcripts(given.labels)
        texts: dict[str, Documents] = {name: documents_of(paths[name]) for name in flagged}
        halves("keywords", labels, {name: keyword_flags(one, kinds) for name, one in texts.items()})
        halves("TF-IDF", labels, tfidf_flags(texts, labels.positives, kinds))
    if given.flags:
        for name, one in flagged.items():
            if tuned(name) is (given.flags == "tuned"):
                for flag in one.flags:
                    words = f"{flag.reason} | {flag.quote[:150]}"
                    print(f"{name[-44:]} {flag.line}>{flag.seen} {flag.kind}: {words}")


if __name__ == "__main__":
    main()
