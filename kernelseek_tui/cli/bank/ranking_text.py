"""The figures of a ranker as lines of text."""

from collections.abc import Callable, Iterator, Mapping

from bank.evaluation.hindsight import Hindsight
from bank.evaluation.labels import LabelledState
from bank.evaluation.outcome import Reading
from bank.evaluation.report import Report
from bank.evaluation.scores import Case, Figures, Scores
from kernelseek_tui.cli.bank.shared import count
from kernelseek_tui.plain import line

READINGS: Mapping[Reading, str] = {
    Reading.GROUP: "group: any acceptable one",
    Reading.FIRST_GROUP: "group: the annotator's first",
    Reading.LAYER: "layer that the question leads to: any acceptable one",
    Reading.FIRST_LAYER: "layer that the question leads to: the annotator's first",
}
SPLITS: Mapping[str, Callable[[LabelledState], str]] = {
    "kind": lambda label: label.kind.value if label.kind is not None else "none",
    "task": lambda label: label.task,
    "session": lambda label: label.file,
}
_CASES = 3  # places of a list that are printed
_NAME = 26
_LONG = 60  # characters of a session's name


def as_lines(report: Report, refused: Mapping[str, str]) -> Iterator[str]:
    """Everything but the cases, plain text."""
    cases = report.ranker.cases
    sessions = len({case.label.file for case in cases})
    known = len(cases) - len(report.unknown)
    yield (
        f"{count(len(cases), 'state')} in {count(sessions, 'session')}, {known} of a known kind, "
        f"{len(report.unknown)} of kind none; bank {report.bank}"
    )
    for name, why in refused.items():
        yield line(f"not read: {name}: {why}")
    if report.unreachable:
        yield line(f"no entry for the kind is of an acceptable group: {' '.join(report.unreachable)}")
    for reading, title in READINGS.items():
        yield ""
        yield from _methods(title, report.methods, reading, unknown=False)
    if report.unknown:
        yield ""
        title = "group: any acceptable one, states of kind none among them"
        yield from _methods(title, report.methods, Reading.GROUP, unknown=True)
    for name, key in SPLITS.items():
        yield ""
        yield from _split(f"group by {name}", report.ranker.split(key), report.chance.split(key))
    yield ""
    yield from _hindsight(report.hindsight)


def _methods(title: str, methods: Mapping[str, Scores], reading: Reading, *, unknown: bool) -> Iterator[str]:
    yield title
    head = f"{'hit@1':<24}{'hit@3':<24}{'MRR':<20}{'hit@3 by session':>16}"
    yield f"  {'':<{_NAME}}{'states':>6}  {head}"
    for name, scores in methods.items():
        found = scores.figures(reading, unknown=unknown)
        if not found.total:
            yield f"  {name:<{_NAME}}{0:>6}  -"
            continue
        cells = (
            f"{share(found.hits1, found, scores.expected, found.interval1):<24}"
            f"{share(found.hits3, found, scores.expected, found.interval3):<24}"
            f"{mean(found, scores.expected):<20}{found.macro3 or 0.0:>16.2f}"
        )
        yield f"  {name:<{_NAME}}{found.total:>6}  {cells}"


def share(hits: float, found: Figures, expected: bool, interval: tuple[float, float]) -> str:
    """A share of the states; of an expected one, which has no interval, only the number."""
    if expected:
        return f"{hits / found.total:.2f}"
    low, high = interval
    return f"{hits:.0f} of {found.total} [{low:.2f}, {high:.2f}]"


def mean(found: Figures, expected: bool) -> str:
    """The mean reciprocal rank, with its interval where there is one."""
    value = f"{found.reciprocal or 0.0:.2f}"
    interval = None if expected else found.reciprocal_interval
    return value if interval is None else f"{value} [{interval[0]:.2f}, {interval[1]:.2f}]"


def _split(title: str, parts: Mapping[str, Figures], chances: Mapping[str, Figures]) -> Iterator[str]:
    yield title
    if not parts:
        yield "  no state of a known kind"
        return
    names = {name: line(name if len(name) <= _LONG else f"…{name[1 - _LONG :]}") for name in parts}
    width = max(len(name) for name in names.values()) + 2
    yield f"  {'':<{width}}{'states':>6}{'hit@1':>7}{'hit@3':>7}{'chance':>8}{'MRR':>7}{'chance':>8}"
    for name, found in parts.items():
        by_chance = chances[name]
        yield (
            f"  {names[name]:<{width}}{found.total:>6}{found.hits1:>7.0f}{found.hits3:>7.0f}"
            f"{by_chance.hits3:>8.1f}{found.reciprocal or 0.0:>7.2f}{by_chance.reciprocal or 0.0:>8.2f}"
        )


def _hindsight(found: Hindsight) -> Iterator[str]:
    yield "the layer of the next real gain is named by the first three"
    parts = {"all": found}
    if found.part(derived=True).states and found.part(derived=False).states:
        parts |= {"as labelled": found.part(derived=False), "as derived": found.part(derived=True)}
    if found.away().states:
        parts["from outside the kernel"] = found.away()
    parts |= {f"from {layer.value}": part for layer, part in found.by_layer().items()}
    if not found.states:
        yield "  of no state of a known kind a next gain is known"
        return
    head = f"{'named':<24}{'of eight':>9}{'of kind':>9}{'entries':>9}{'frequent':>10}"
    yield f"  {'':<20}{'states':>6}  {head}"
    for name, part in parts.items():
        states = part.states
        low, high = part.interval
        named = f"{part.hits} of {len(states)} [{low:.2f}, {high:.2f}]"
        yield (
            f"  {name:<20}{len(states):>6}  {named:<24}{sum(s.of_eight for s in states) / len(states):>9.2f}"
            f"{sum(s.of_kind for s in states) / len(states):>9.2f}"
            f"{sum(s.of_entries for s in states) / len(states):>9.2f}"
            f"{sum(s.frequent for s in states) / len(states):>10.2f}"
        )


def case_lines(report: Report) -> Iterator[str]:
    """Each state: its label, and the top three beside it. A wanted group or layer is marked with `*`."""
    gains = {state.id: state.gain for state in report.hindsight.states}
    yield "states"
    for case in report.ranker.cases:
        label = case.label
        kind = label.kind.value if label.kind is not None else "none"
        yield line(f"  {label.id}  {kind}  after entry {label.place} of {label.file}")
        yield f"    label   {', '.join(label.groups)}; {', '.join(label.layers) or 'no layer'}{_ranks(case)}"
        for number, place in enumerate(case.top[:_CASES], 1):
            group = f"{place.group.value}{'*' if place.group in label.groups else ''}"
            layer = f"{place.layer.value}{'*' if place.layer in label.layers else ''}"
            yield f"    {number:>5}.  {place.entry:<20}{group:<32}{layer}"
        gain = gains.get(label.id)
        if gain is not None:
            at = "" if gain.entry is None else f" at entry {gain.entry}"
            yield f"    gain    from {gain.layer.value}{at}, {'derived' if gain.derived else 'labelled'}"


def _ranks(case: Case) -> str:
    ranks = case.ranks or {}
    words = [
        f"{name} {ranks[reading] or '-'}"
        for name, reading in (("group", Reading.GROUP), ("layer", Reading.LAYER))
        if reading in case.outcomes
    ]
    return f"  (place of the first wanted: {', '.join(words)})"
