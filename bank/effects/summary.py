"""What records come to: for an entry, or for a group at a kind of moment, beside where nothing was asked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles

from bank.effects.intervals import FEWEST, Middle, Share, middle, share_difference
from bank.effects.matching import Matched, expected
from bank.effects.record import Record

DRAWS = 1_000
SEED = 20_261_129
TEST_ASKED, TEST_MODELS, TEST_ANSWERED = 10, 2, 0.7
STABLE_ASKED, STABLE_OPERATORS = 30, 3
"""The status ladder's thresholds. They are guesses, to be looked at again when there are effects."""


@dataclass(frozen=True, slots=True)
class Change:
    """Median change of the best score within the window, as logarithms: asked, not asked, and between them.

    `difference` is the median over askings of the change less the one expected from matched moments; its
    interval comes from drawing whole sessions, on both sides, and is absent where there are fewer than five
    of either. `compared` counts the askings that had something to be compared with.
    """

    asked: Middle
    beside: Middle
    compared: int = 0
    difference: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the summary.

    `asked` counts all askings, `counted` those that the shares are of: of an entry those of it alone and in
    the bank's present wording, of a group each message once. `other_wording` and `together` say what was left
    out. `matched` counts moments where nothing was asked. `would_be` is the status that the ladder gives.
    """

    name: str
    group: str
    kinds: Mapping[str, int]
    rehearsed: bool
    asked: int
    counted: int
    together: int
    other_wording: int
    sessions: int
    models: int
    operators: int
    answered: Share
    new_layer: Share
    calls: Middle
    matched: int
    matched_answered: Share
    matched_new_layer: Share
    change: Change
    regressions: Share
    matched_regressions: Share
    claims: Mapping[str, int]
    would_be: str

    @property
    def answered_difference(self) -> tuple[float, float, float] | None:
        """Share with a number, less that at matched moments, with its interval."""
        return share_difference(self.answered, self.matched_answered)

    @property
    def new_layer_difference(self) -> tuple[float, float, float] | None:
        """The same of the share that measured a layer for the first time."""
        return share_difference(self.new_layer, self.matched_new_layer)


def distinct(records: Iterable[Record]) -> list[Record]:
    """Each record once: a session may be there under two paths."""
    found = {(one.what, one.session, one.event, one.entry): one for one in records}
    return list(found.values())


def by_entry(records: Sequence[Record], wordings: Mapping[str, str]) -> list[Row]:
    """A row for each entry that was asked, rehearsed agents in rows of their own.

    `wordings` gives the hash of each entry's question as the bank has it now.
    """
    matched = Matched(records)
    rows = []
    for (entry, rehearsed), found in _grouped(records, lambda one: one.entry).items():
        now = [one for one in found if one.wording is not None and one.wording == wordings.get(entry)]
        alone = [one for one in now if one.together == 1]
        rows.append(_row(entry, found[0].group or "", rehearsed, found, alone, matched, len(now)))
    return rows


def by_group(records: Sequence[Record]) -> list[Row]:
    """A row for each group and kind of moment at which it was asked; each message counts once."""
    matched = Matched(records)

    def pair(one: Record) -> str | None:
        return f"{one.group}, {one.kind or 'no moment'}" if one.group else None

    rows = []
    for (name, rehearsed), found in _grouped(records, pair).items():
        once = list({(one.session, one.event): one for one in found}.values())
        rows.append(_row(name, found[0].group or "", rehearsed, once, once, matched, len(once), ladder=False))
    return rows


def _grouped(
    records: Sequence[Record], name: Callable[[Record], str | None]
) -> dict[tuple[str, bool], list[Record]]:
    found: dict[tuple[str, bool], list[Record]] = defaultdict(list)
    for record in records:
        called = name(record)
        if record.what == "asked" and called is not None:
            found[(called, record.rehearsed)].append(record)
    return dict(sorted(found.items()))


def _row(
    name: str,
    group: str,
    rehearsed: bool,
    asked: Sequence[Record],
    counted: Sequence[Record],
    matched: Matched,
    in_wording: int,
    ladder: bool = True,
) -> Row:
    beside = matched.all_of(counted)
    answered, new_layer = _answered(counted), _new_layer(counted)
    row = Row(
        name=name,
        group=group,
        kinds=dict(Counter(one.kind or "no moment" for one in asked).most_common()),
        rehearsed=rehearsed,
        asked=len(asked),
        counted=len(counted),
        together=in_wording - len(counted),
        other_wording=len(asked) - in_wording,
        sessions=len({one.session for one in counted}),
        models=len({one.model for one in counted if one.model}),
        operators=len({one.operator for one in counted if one.operator}),
        answered=answered,
        new_layer=new_layer,
        calls=middle([one.outcome.calls for one in counted if one.outcome.calls is not None]),
        matched=len(beside),
        matched_answered=_answered(beside),
        matched_new_layer=_new_layer(beside),
        change=_change(counted, beside, matched),
        regressions=_regressions(counted),
        matched_regressions=_regressions(beside),
        claims=dict(Counter(one.outcome.claim for one in counted if one.outcome.claim is not None)),
        would_be="",
    )
    return _with_status(row) if ladder and not rehearsed else row


def _answered(records: Sequence[Record]) -> Share:
    return Share(sum(one.outcome.answered for one in records), len(records))


def _new_layer(records: Sequence[Record]) -> Share:
    return Share(sum(bool(one.outcome.first_measured) for one in records), len(records))


def _regressions(records: Sequence[Record]) -> Share:
    known = [one.outcome.regression for one in records if one.outcome.regression is not None]
    return Share(sum(what != "none" for what in known), len(known))


def _with_status(row: Row) -> Row:
    """The ladder of statuses; what an entry's file says stays as it is."""
    status = "experimental"
    share = row.answered.value or 0.0
    if row.counted >= TEST_ASKED and row.models >= TEST_MODELS and share >= TEST_ANSWERED:
        status = "test"
        moved = row.new_layer_difference
        if (
            row.counted >= STABLE_ASKED
            and row.operators >= STABLE_OPERATORS
            and moved is not None
            and moved[1] > 0
        ):
            status = "stable"
    values = {name: getattr(row, name) for name in Row.__slots__}
    return Row(**values | {"would_be": status})


def _change(counted: Sequence[Record], beside: Sequence[Record], matched: Matched) -> Change:
    asked = middle([one.outcome.change for one in counted if one.outcome.change is not None])
    pairs = [(one, matched.of(one)) for one in counted if one.outcome.changes]
    pairs = [(one, alike) for one, alike in pairs if expected(one, alike) is not None]
    if not pairs:
        return Change(asked, middle([one.outcome.change for one in beside if one.outcome.change is not None]))
    expectations = [expected(one, alike) or 0.0 for one, alike in pairs]
    used = {(one.session, one.event): one for _, alike in pairs for one in alike}.values()
    shown = middle([one.outcome.change for one in used if one.outcome.change is not None])
    differences = [_of(one) - other for (one, _), other in zip(pairs, expectations, strict=True)]
    low, high = _interval(pairs, list(used))
    return Change(asked, shown, len(pairs), median(differences), low, high)


def _of(record: Record) -> float:
    return record.outcome.change or 0.0


def _interval(
    pairs: Sequence[tuple[Record, Sequence[Record]]], beside: Sequence[Record]
) -> tuple[float | None, float | None]:
    """Percentiles over draws of whole sessions: askings of one session are no independent trials."""
    sessions = sorted({one.session for one, _ in pairs})
    others = sorted({one.session for one in beside})
    if len(sessions) < FEWEST or len(others) < FEWEST:
        return None, None
    random = Random(SEED)
    found = []
    for _ in range(DRAWS):
        weights = Counter(random.choices(sessions, k=len(sessions)))
        other_weights = Counter(random.choices(others, k=len(others)))
        differences: list[float] = []
        known: dict[tuple[int, int, int], float | None] = {}
        for one, alike in pairs:
            if not (times := weights[one.session]):
                continue
            key = (id(alike[0]), len(alike), len(one.outcome.changes))
            if key not in known:
                drawn = [item for item in alike for _ in range(other_weights[item.session])]
                known[key] = expected(one, drawn)
            other = known[key]
            if other is not None:
                differences += [_of(one) - other] * times
        if differences:
            found.append(median(differences))
    if len(found) < DRAWS // 2:
        return None, None
    cuts = quantiles(found, n=40, method="inclusive")
    return cuts[0], cuts[-1]
