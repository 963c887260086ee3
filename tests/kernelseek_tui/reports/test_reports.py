import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.reports import as_json, html, markdown
from kernelseek_tui.reports.axis import axis_of
from kernelseek_tui.reports.build import short
from kernelseek_tui.reports.document import Table, document
from kernelseek_tui.reports.model import ORIGINS, REHEARSED, PointRow, SessionReport
from kernelseek_tui.reports.svg import MOST_POINTS, curve, thinned
from sessions import events as ev
from tests.kernelseek_tui.reports.reported import numbered, report, reported, story
from tests.sessions.strategies import EVENTS

HOSTILE = (
    '</title></script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="x\' & | ` '
    "[a](javascript:alert(1)) ![b](http://x.example/c.png) <!-- --> \x1b[31m \u202e \ud800 {{7*7}} ]]>"
)
VOID = {"meta", "br", "img"}


class Page(HTMLParser):
    """Every tag and attribute of a page; refuses one whose tags do not pair up."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def session() -> SessionReport:
    return reported(story())


def test_the_model_holds_what_happened(session: SessionReport) -> None:
    assert session.score.origin == "judge"
    assert [(point.value, point.mark) for point in session.score.points][:2] == [
        (1.0, "right"),
        (0.0, "wrong"),
    ]
    assert (session.score.first, session.score.best) == (1.0, 2.5)
    assert [claim.kind for claim in session.claims] == ["limit", "completion"]
    assert [claim.fate for claim in session.claims] == ["beaten later", "contradicted"]
    (jump,) = session.jumps
    assert (jump.factor, jump.act, jump.category, jump.moved_to) == (2.5, "question", "gap-triage", ("host",))
    assert session.recorded[0].asked == ("words: Where does the time go? words",)
    assert session.flags == session.recorded
    assert session.spent.cost_usd == 1.25
    assert session.goal == "unmet: words"
    assert session.damaged == ("line 3: words",)
    assert session.counts.wall_seconds == 7 * (len(story()) - 1)


def test_every_format_says_the_same(session: SessionReport) -> None:
    made = report(session)
    page, text, data = html.render(made), markdown.render(made), json.loads(as_json.render(made))
    shown = Page(page).text
    for words in (
        "Claim ledger",
        "beaten later",
        "This is the order in time, not a cause.",
        "2.50×",
        "$1.25",
    ):
        assert words in shown
        assert words in text
    assert data["schema_version"] == 1
    assert data["sessions"][0]["jumps"][0]["factor"] == 2.5
    assert data["sessions"][0]["score"]["named"] == ORIGINS["judge"]


def test_rehearsed_is_marked_everywhere() -> None:
    made = report(reported(story(rehearsed=True)))
    assert html.render(made).count("REHEARSED") >= 3
    assert "<title>REHEARSED" in html.render(made)
    assert REHEARSED in curve(made.sessions[0])
    assert "REHEARSED" in markdown.render(made)
    assert json.loads(as_json.render(made))["rehearsed"] is True
    assert "REHEARSED" not in html.render(report(reported(story())))


def test_parsed_scores_are_marked_as_not_judged() -> None:
    made = report(reported(story(source="parsed")))
    named = "as printed by the agent's own commands, not judged"
    assert made.sessions[0].score.named == named
    assert named.replace("'", "&#x27;") in curve(made.sessions[0])
    assert Page(html.render(made)).text.lower().count(named) == 3  # in the head, by the curve and on it
    assert named in markdown.render(made)
    assert as_json.render(made).count(named) == 1


def test_a_campaign_begins_with_a_table_of_its_sessions() -> None:
    made = report(reported(story(), "one"), reported(story(rehearsed=True), "two"))
    table = next(block for block in document(made) if isinstance(block, Table))
    assert [row[0] for row in table.rows] == ["one", "two"]
    assert "REHEARSED" in " ".join(table.rows[1])
    assert "REHEARSED" not in " ".join(table.rows[0])
    assert "2 sessions" in html.render(made)


def test_a_campaigns_human_messages_are_all_that_a_person_wrote() -> None:
    more = [*story(), ev.HumanMessage(id="more", text="Is it the launch?")]
    made = report(reported(story(), "one"), reported(more, "two"))
    table = next(block for block in document(made) if isinstance(block, Table))
    at = table.columns.index("human messages")
    assert [row[at] for row in table.rows] == ["1", "2"]  # the task is one; a questioner's question is none


def test_hostile_text_is_text_everywhere() -> None:
    made = report(reported(story(rehearsed=True, said=HOSTILE), short(HOSTILE)))
    page = Page(html.render(made))
    assert not {"script", "img", "iframe", "object", "a", "link", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href")]
    assert "<script>alert(1)</script>" in page.text
    drawn = Page(curve(made.sessions[0], alone=True))
    assert set(drawn.tags) <= {"svg", "style", "title", "rect", "path", "circle", "text"}
    text = markdown.render(made)
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search(r"<(?!br>)", text)
    assert "http://" not in text
    for written in (html.render(made), text):
        assert "\x1b" not in written
        assert "\u202e" not in written
        written.encode("utf-8")
    for line in text.split("\n"):
        if line.startswith("| "):  # no cell ends its row early
            assert len(re.findall(r"(?<!\\)\|", line)) in {3, 5, 6, 7, 8, 9}
    json.loads(as_json.render(made))["sessions"][0]["name"].encode("utf-8")


def test_the_page_loads_and_runs_nothing(session: SessionReport) -> None:
    page = html.render(report(session))
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert "url(" not in page
    assert "@import" not in page
    assert "prefers-color-scheme:dark" in page


def _long(turns: int) -> list[ev.AnyEvent]:
    events: list[ev.AnyEvent] = story(said=HOSTILE)
    for turn in range(turns):
        command = {"command": f"./bench --case {turn}"}
        events += [
            ev.HumanMessage(id="", text=f"Why is case {turn} slow? {HOSTILE * 3}"),
            ev.ToolCall(id="", call=f"c{turn}", tool="Bash", input=command),
            ev.ToolResult(id="", call=f"c{turn}", output=HOSTILE),
            ev.Evaluation(id="", evaluation="e", status="CORRECT", geomean=1 + turn / 100, exit_code=0),
            ev.AgentText(
                id="", text=f"{'Reading on' if turn % 4 else 'All tasks are complete'}. {HOSTILE * 3}"
            ),
        ]
    return numbered(events)


def test_a_long_hostile_session_stays_within_the_budget_and_says_what_is_cut() -> None:
    events = _long(400)
    assert len(events) > 2000
    made = report(reported(events))
    page = html.render(made)
    assert len(page.encode()) <= html.BUDGET
    assert "more rows are left out here" in page
    assert "more rows are left out here" in markdown.render(made)
    assert len(json.loads(as_json.render(made))["sessions"][0]["messages"]) > 400


def test_a_small_budget_cuts_rows_and_nothing_else() -> None:
    made = report(reported(_long(40)))
    small = html.render(made, budget=1)
    assert len(small) < len(html.render(made))
    Page(small)


def test_a_curve_of_many_points_keeps_every_best() -> None:
    points = [PointRow(place, 1.0, None, None, "right", place % 7 == 0, "") for place in range(5000)]
    shown = thinned(points)
    assert len(shown) < 2 * MOST_POINTS
    assert {point.entry for point in points if point.best} <= {point.entry for point in shown}
    assert thinned(points[:10]) == points[:10]


def test_wrong_points_have_no_height() -> None:
    session = reported(story())
    assert curve(session).count('class="wrong"') == 2  # one in the lane, one in the legend
    assert "No score is recognised here" in curve(reported([]))


@pytest.mark.parametrize(
    ("values", "log", "expected"),
    [
        ([0.5, 2.0], True, {0.5, 1.0, 1.5, 2.0}),
        ([0.01, 100.0], True, {0.01, 1.0, 100.0}),
        ([3.0, 3.0], False, {3.0}),
        ([0.0, 10.0], False, {0.0, 10.0}),
    ],
)
def test_axes_hold_all_values_and_have_round_numbers(
    values: list[float], log: bool, expected: set[float]
) -> None:
    axis = axis_of(values, log)
    assert all(0 < axis.place(value) < 1 or not log for value in values)
    assert axis.place(values[0]) <= axis.place(values[-1])
    ticks = axis.ticks()
    assert any(abs(tick - one) < 1e-9 for tick in ticks for one in expected)
    assert len(ticks) <= 12


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=5),
    st.booleans(),
)
def test_any_axis_is_finite(values: list[float], log: bool) -> None:
    axis = axis_of(values, log)
    assert all(0 <= axis.place(value) <= 1 for value in values)
    assert len(axis.ticks()) <= 40


TEXTS = st.text(max_size=60) | st.sampled_from(
    [HOSTILE, "All tasks are complete.", "This is the hardware limit."]
)
NUMBERS = st.none() | st.floats(allow_nan=True, allow_infinity=True)
MORE: st.SearchStrategy[Any] = st.one_of(
    st.builds(ev.AgentText, id=st.just(""), text=TEXTS),
    st.builds(ev.HumanMessage, id=st.just(""), text=TEXTS, time=st.none() | st.datetimes()),
    st.builds(ev.QuestionAsked, id=st.just(""), questioner=TEXTS, text=TEXTS, parent=st.just("e1")),
    st.builds(ev.ToolResult, id=st.just(""), call=st.sampled_from("abcd"), output=TEXTS),
    st.builds(ev.Edit, id=st.just(""), path=TEXTS, diff=TEXTS.map(lambda text: f"@@ -1,3 +1,3 @@\n{text}")),
    st.builds(
        ev.Evaluation,
        id=st.just(""),
        evaluation=TEXTS,
        source_kind=st.sampled_from(["judge", "parsed"]),
        status=TEXTS,
        geomean=NUMBERS,
        low=NUMBERS,
        high=NUMBERS,
        noise_floor=NUMBERS,
        exit_code=st.sampled_from([None, 0, 11, 20]),
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(EVENTS | MORE, max_size=30), TEXTS)
def test_any_events_make_a_report(events: list[ev.AnyEvent], name: str) -> None:
    named = [event.model_copy(update={"id": f"e{place}"}) for place, event in enumerate(events)]
    made = report(reported(named, short(name)))
    Page(html.render(made)).text.encode("utf-8")
    markdown.render(made).encode("utf-8")
    json.loads(as_json.render(made))
