"""What flags are worth on labels: recall, precision, delay, hard negatives, alarms per entries. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from kernelseek_tui.detecting.labels import PROVED_WRONG, Labels, Negative, Positive
from sessions.shares import wilson
from sessions.vocabulary import DecisionKind

NEAR = 5
"""A moment counts when a flag of its kind stands within so many entries of one of its places."""
AT = 1
"""A hard negative fires when a flag stands within so many entries of one of its places."""
LONG = 100
"""Entries from which on a file's own alarm rate means something."""
COUNTED = (DecisionKind.SUSPICIOUS_WIN, DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION)
"""Kinds whose proved-wrong moments make up the headline recall."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A decision point: `line` of what raised it and `seen` of where it was raised, 0-based entries."""

    line: int
    kind: DecisionKind
    quote: str = ""
    reason: str = ""
    seen: int | None = None


@dataclass(frozen=True, slots=True)
class Flagged:
    """What one transcript was flagged with. `active_hours` is None where it has no times."""

    entries: int
    flags: tuple[Flag, ...]
    active_hours: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `total` with its Wilson 95 % interval; no interval for nothing."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, or None of nothing."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; 0 to 1 where nothing was counted."""
        return wilson(self.hits, self.total)


@dataclass(frozen=True, slots=True)
class KindScore:
    """One kind. `delay` is the median of entries from a moment's first place to the flag, of those hit.

    `precision` counts flags on a moment of their kind among all flags on labelled places; most flags stand
    where nobody labelled anything (`elsewhere`), which says nothing about them.
    """

    kind: DecisionKind
    recall: Share
    precision: Share
    delay: float | None
    flags: int
    elsewhere: int
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The whole of it. `wrong` is the recall over proved-wrong wins, limits and completions."""

    kinds: tuple[KindScore, ...]
    wrong: Share
    wrong_missed: tuple[str, ...]
    fired: Share
    fired_names: tuple[str, ...]
    entries: int
    alarms: int
    per_hundred: float
    worst_file: tuple[str, float] | None
    per_active_hour: float | None
    unread: tuple[str, ...]


def near(line: int, places: Iterable[int], within: int) -> bool:
    """Whether a line stands within so many entries of one of the places."""
    return any(abs(line - place) <= within for place in places)


def hit_by(row: Positive, flagged: Flagged) -> Flag | None:
    """The flag that hits a moment: the first of its kind that is near enough."""
    return next(
        (flag for flag in flagged.flags if flag.kind is row.kind and near(flag.line, row.places, NEAR)), None
    )


def fired_by(row: Negative, flagged: Flagged, positives: Sequence[Positive]) -> Flag | None:
    """The flag that fires a hard negative. None where another annotator saw its kind or a moment stands."""
    for flag in flagged.flags:
        if flag.kind not in row.kinds or flag.kind in row.arguable or not near(flag.line, row.places, AT):
            continue
        if not any(
            moment.file == row.file and moment.kind is flag.kind and near(flag.line, moment.places, AT)
            for moment in positives
        ):
            return flag
    return None


def score(labels: Labels, flagged: Mapping[str, Flagged]) -> Score:
    """Score the flags of transcripts, by the files' names in the labels.

    Files that are flagged and not labelled count for alarms only; labelled ones that are missing are named
    in `unread`, and their rows count for nothing.
    """
    positives = [row for row in labels.positives if row.file in flagged]
    negatives = [row for row in labels.negatives if row.file in flagged]
    wrong = [row for row in positives if row.kind in COUNTED and row.truth in PROVED_WRONG]
    missed = tuple(row.id for row in wrong if hit_by(row, flagged[row.file]) is None)
    fired = [
        (row, flag) for row in negatives if (flag := fired_by(row, flagged[row.file], positives)) is not None
    ]
    entries = sum(one.entries for one in flagged.values())
    alarms = sum(len(one.flags) for one in flagged.values())
    rates = {name: 100 * len(one.flags) / one.entries for name, one in flagged.items() if one.entries >= LONG}
    timed = [one for one in flagged.values() if one.active_hours]
    hours = sum(one.active_hours or 0 for one in timed)
    return Score(
        kinds=tuple(
            _kind_score(kind, positives, [row for row, flag in fired if flag.kind is kind], flagged)
            for kind in DecisionKind
        ),
        wrong=Share(len(wrong) - len(missed), len(wrong)),
        wrong_missed=missed,
        fired=Share(len(fired), len(negatives)),
        fired_names=tuple(f"{row.id} {flag.kind}" for row, flag in fired),
        entries=entries,
        alarms=alarms,
        per_hundred=100 * alarms / entries if entries else 0.0,
        worst_file=max(rates.items(), key=lambda item: item[1], default=None),
        per_active_hour=sum(len(one.flags) for one in timed) / hours if hours else None,
        unread=tuple(name for name in labels.files if name not in flagged),
    )


def _kind_score(
    kind: DecisionKind,
    positives: Sequence[Positive],
    fired: Sequence[Negative],
    flagged: Mapping[str, Flagged],
) -> KindScore:
    rows = [row for row in positives if row.kind is kind]
    hits = [(row, flag) for row in rows if (flag := hit_by(row, flagged[row.file])) is not None]
    delays = [(flag.line if flag.seen is None else flag.seen) - row.places[0] for row, flag in hits]
    flags = [(name, flag) for name, one in flagged.items() for flag in one.flags if flag.kind is kind]
    right = sum(
        any(row.file == name and near(flag.line, row.places, NEAR) for row in rows) for name, flag in flags
    )
    return KindScore(
        kind=kind,
        recall=Share(len(hits), len(rows)),
        precision=Share(right, right + len(fired)),
        delay=median(delays) if delays else None,
        flags=len(flags),
        elsewhere=len(flags) - right - len(fired),
        missed=tuple(row.id for row in rows if row.id not in {hit.id for hit, _ in hits}),
    )
