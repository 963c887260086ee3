import pytest

from kernelseek_tui.detecting.labels import Labels, Negative, Positive, rows_of
from kernelseek_tui.detecting.score import Flag, Flagged, Share, score
from sessions.errors import RefusedInput
from sessions.labels import Label, Where
from sessions.shares import wilson
from sessions.vocabulary import DecisionKind, Truth

WIN, LIMIT, DONE = DecisionKind.SUSPICIOUS_WIN, DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION
ODD = DecisionKind.EXPLAINED_ANOMALY


def labels(*rows: Positive | Negative) -> Labels:
    return Labels(
        "ada",
        tuple(row for row in rows if isinstance(row, Positive)),
        tuple(row for row in rows if isinstance(row, Negative)),
    )


def flagged(
    *flags: tuple[int, DecisionKind], entries: int = 200, hours: float | None = None
) -> dict[str, Flagged]:
    return {"a": Flagged(entries, tuple(Flag(line, kind, seen=line + 1) for line, kind in flags), hours)}


@pytest.mark.parametrize(
    ("line", "hit"), [(4, False), (5, True), (10, True), (15, True), (20, True), (26, False)]
)
def test_a_moment_counts_within_five_entries_of_a_place(line: int, hit: bool) -> None:
    rows = labels(Positive("m", "a", (10, 20), WIN, Truth.WRONG))
    found = score(rows, flagged((line, WIN)))
    assert found.wrong == Share(int(hit), 1)
    assert found.wrong_missed == (() if hit else ("m",))


def test_another_kind_is_no_hit() -> None:
    assert score(labels(Positive("m", "a", (10,), WIN, Truth.WRONG)), flagged((10, DONE))).wrong.hits == 0


def test_only_what_proved_wrong_of_three_kinds_is_in_the_headline() -> None:
    rows = labels(
        Positive("m1", "a", (10,), WIN, Truth.WRONG),
        Positive("m2", "a", (30,), LIMIT, Truth.UNRESOLVED),
        Positive("m3", "a", (50,), ODD, Truth.WRONG),
        Positive("m4", "a", (70,), DONE, None),
    )
    found = score(rows, flagged((10, WIN), (30, LIMIT), (50, ODD)))
    assert found.wrong == Share(1, 1)
    assert {kind.kind: kind.recall for kind in found.kinds if kind.recall.total} == {
        WIN: Share(1, 1),
        LIMIT: Share(1, 1),
        ODD: Share(1, 1),
        DONE: Share(0, 1),
    }


@pytest.mark.parametrize(
    ("flag", "fires"),
    [((9, DONE), True), ((11, LIMIT), True), ((10, ODD), True), ((12, DONE), False), ((10, WIN), False)],
)
def test_a_hard_negative_fires_within_one_entry(flag: tuple[int, DecisionKind], fires: bool) -> None:
    rows = rows_of([Label(id="n", file="a", where=Where(entry=10), kind="none", annotator="ada")])
    assert score(rows, flagged(flag)).fired == Share(int(fires), 1)


def test_named_kinds_and_what_another_annotator_saw() -> None:
    first = Label(id="n", file="a", where=Where(entry=10), kind="none", annotator="ada", not_kind=(WIN,))
    assert score(rows_of([first]), flagged((10, DONE))).fired.hits == 0
    assert score(rows_of([first]), flagged((10, WIN))).fired_names == ("n suspicious_win",)
    second = Label(id="n", file="a", where=Where(entry=10), kind=WIN, annotator="ben")
    assert score(rows_of([first, second]), flagged((10, WIN))).fired.hits == 0


def test_a_flag_on_a_moment_fires_nothing() -> None:
    rows = labels(Negative("n", "a", (10,), frozenset({DONE})), Positive("m", "a", (11,), DONE, Truth.RIGHT))
    assert score(rows, flagged((11, DONE))).fired.hits == 0


def test_precision_is_of_flags_on_labelled_places() -> None:
    rows = labels(Positive("m", "a", (10,), DONE, Truth.WRONG), Negative("n", "a", (50,), frozenset({DONE})))
    found = score(rows, flagged((10, DONE), (50, DONE), (150, DONE)))
    (done,) = [kind for kind in found.kinds if kind.kind is DONE]
    assert (done.precision, done.elsewhere, done.flags) == (Share(1, 2), 1, 3)


def test_delay_is_until_it_was_raised() -> None:
    found = score(labels(Positive("m", "a", (10,), WIN, Truth.WRONG)), flagged((12, WIN)))
    assert next(kind.delay for kind in found.kinds if kind.kind is WIN) == 3


def test_alarm_rates() -> None:
    files = flagged((1, WIN), (2, DONE), entries=100, hours=0.5) | {"b": Flagged(50, (Flag(1, WIN),))}
    found = score(labels(), files)
    assert (found.alarms, found.entries) == (3, 150)
    assert found.per_hundred == 2.0
    assert found.worst_file == ("a", 2.0)  # the short one says little
    assert found.per_active_hour == 4.0


def test_files_that_could_not_be_read_count_for_nothing() -> None:
    found = score(labels(Positive("m", "gone", (10,), WIN, Truth.WRONG)), flagged())
    assert found.unread == ("gone",)
    assert found.wrong.total == 0
    assert found.wrong.value is None


def test_wilson() -> None:
    low, high = wilson(0, 10)
    assert low == 0
    assert 0.25 < high < 0.31
    assert wilson(0, 0) == (0.0, 1.0)
    assert Share(6, 10).interval == wilson(6, 10)


def test_labels_of_one_annotator() -> None:
    given = [
        Label(
            id="m", file="a", where=Where(entry=3, also=(9, 5)), kind=WIN, truth=Truth.WRONG, annotator="ada"
        ),
        Label(file="a", where=Where(entry=7), kind=DONE, annotator="ben"),
        Label(file="a", where=Where(entry=7, part="agent-1.jsonl"), kind=DONE, annotator="ada"),
    ]
    assert rows_of(given).positives == (Positive("m", "a", (3, 5, 9), WIN, Truth.WRONG),)
    assert [row.id for row in rows_of(given, "ben").positives] == ["a:7"]
    with pytest.raises(RefusedInput, match="no label is by 'eve'"):
        rows_of(given, "eve")
    assert rows_of([]).files == ()
