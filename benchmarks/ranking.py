"""Writes the figures of the ranking into docs/ranking.md, from label files.

    python -m benchmarks.ranking LABELS [LABELS …] [--root FOLDER …] [--print]

`--root` may be given once for each label file, in their order; without it, sessions lie beside the labels.
`--print` shows the section and writes nothing. `kernelseek bank evaluate-ranking` prints more of the same.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from bank.bank import Bank
from bank.evaluation.folding import fold_states
from bank.evaluation.labels import read_states
from bank.evaluation.outcome import Reading
from bank.evaluation.report import Report, report_of
from kernelseek_tui.cli.bank.ranking_text import READINGS, SPLITS, mean, share
from kernelseek_tui.review.next_gain import NextGains
from sessions.errors import RefusedInput

PAGE = Path(__file__).parents[1] / "docs" / "ranking.md"
BEGIN = "<!-- What follows is made by `python -m benchmarks.ranking`, up to the end mark. -->\n"
END = "<!-- End of what is made. -->\n"


def with_section(page: str, section: str) -> str:
    """The page with another section between its marks. Raises `ValueError` for a page without them."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no marks for the figures")
    return f"{head}{BEGIN}\n{section.strip()}\n\n{END}{tail}"


def section_of(name: str, report: Report, refused: int) -> Iterator[str]:
    """One label file's figures as Markdown."""
    cases = report.ranker.cases
    sessions = len({case.label.file for case in cases})
    known = len(cases) - len(report.unknown)
    yield f"### {name}"
    yield ""
    yield (
        f"{len(cases)} states in {sessions} sessions; {known} of a known kind, which the tables are of. "
        f"Sessions not read: {refused}. States that no entry for their kind can hit: "
        f"{len(report.unreachable)}. Bank {report.bank}."
    )
    for reading, title in READINGS.items():
        yield from _methods(title, report, reading, unknown=False)
    if report.unknown:
        yield from _methods("group: any acceptable one, states of kind none too", report, Reading.GROUP, True)
    for split in ("kind", "task"):
        yield from _split(split, report)
    yield ""
    yield _hindsight(report)
    yield ""


def _methods(title: str, report: Report, reading: Reading, unknown: bool) -> Iterator[str]:
    yield ""
    yield f"| {title} | hit@1 | hit@3 | MRR | hit@3 by session |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, scores in report.methods.items():
        found = scores.figures(reading, unknown=unknown)
        if found.total:
            first = share(found.hits1, found, scores.expected, found.interval1)
            third = share(found.hits3, found, scores.expected, found.interval3)
            by_session = f"{found.macro3 or 0.0:.2f}"
            yield f"| {name} | {first} | {third} | {mean(found, scores.expected)} | {by_session} |"


def _split(name: str, report: Report) -> Iterator[str]:
    yield ""
    yield f"| group by {name} | states | hit@1 | hit@3 | by chance | MRR | by chance |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    chances = report.chance.split(SPLITS[name])
    for part, found in report.ranker.split(SPLITS[name]).items():
        by = chances[part]
        yield (
            f"| `{part}` | {found.total} | {found.hits1:.0f} | {found.hits3:.0f} | {by.hits3:.1f} "
            f"| {found.reciprocal or 0.0:.2f} | {by.reciprocal or 0.0:.2f} |"
        )


def _hindsight(report: Report) -> str:
    found = report.hindsight
    total = len(found.states)
    if not total:
        return "The next real gain is known of no state."
    low, high = found.interval
    layers = ", ".join(f"{layer.value} {len(part.states)}" for layer, part in found.by_layer().items())
    states = found.states
    away = found.away()
    outside = len(away.states)
    told = (
        f"The next real gain is known of {total} states ({layers}); "
        f"{sum(state.gain.derived for state in states)} of them were derived. The first three name its "
        f"layer in {found.hits} of {total} [{low:.2f}, {high:.2f}]. Shares of others: as many layers "
        f"drawn from all eight {sum(state.of_eight for state in states) / total:.2f}, drawn from those that "
        f"entries for the kind lead to {sum(state.of_kind for state in states) / total:.2f}, three random "
        f"entries {sum(state.of_entries for state in states) / total:.2f}, the layers that gains of the "
        f"other sessions came from most {sum(state.frequent for state in states) / total:.2f}."
    )
    if not outside:
        return told
    low, high = away.interval
    return (
        f"{told} Questions lead away from the kernel: of the {outside} gains from elsewhere the first three "
        f"name {away.hits} [{low:.2f}, {high:.2f}], a share of "
        f"{sum(state.of_entries for state in away.states) / outside:.2f} three random entries would."
    )


def main() -> None:
    """Score every label file, then write them all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("labels", type=Path, nargs="+")
    parser.add_argument("--root", type=Path, action="append", default=[])
    parser.add_argument("--counted-on", type=Path, action="append", default=[])
    parser.add_argument("--print", action="store_true", dest="shown")
    given = parser.parse_args()
    if len(given.root) > len(given.labels):
        parser.error("more roots than label files")
    bank = Bank.load()
    lines: list[str] = []
    for labels, root in zip_longest(given.labels, given.root):
        try:
            states, refused = fold_states(read_states(labels), root or labels.parent, NextGains)
        except RefusedInput as error:
            sys.exit(str(error))
        if not states:
            sys.exit(f"{labels}: none of the sessions it names can be read.")
        # Counted on the places themselves it would be no method but the answer.
        others = [other for path in given.counted_on if path != labels for other in read_states(path)]
        report = report_of(states, bank, elsewhere=others)
        lines += section_of(f"`{labels.parent.name}/{labels.name}`", report, len(refused))
    section = "\n".join(lines)
    if given.shown:
        print(section)
        return
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), section), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
