"""How bank entries are written: two rows an entry, and all there is to say of the one that is selected."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bank.forms.markdown import address
from bank.question import Excuse, Question, text_hash
from bank.titles import leads_to, named_words, related_words
from kernelseek_tui.app.bank_filters import ASKED, MOVED, NUMBER, UNTESTED
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, pad, text_of, wrap_text
from kernelseek_tui.plain import one_line

if TYPE_CHECKING:  # what is known comes later than the first frame
    from bank.effects.intervals import Share
    from bank.effects.summary import Row
    from kernelseek_tui.app.bank_known import Known

LONGEST = 4_000
"""Letters of a text that are shown; no field of a readable entry comes near."""
MANY = 40
"""Items of a list that are shown."""
LABEL = 12
COLUMNS = 60
"""Cells of a list from which on `column_rows` shows more of a question than `entry_rows`."""

_EFFECT_ROLES = {UNTESTED: "faint", ASKED: "muted", NUMBER: "good", MOVED: "good"}


@dataclass(frozen=True, slots=True)
class Spot:
    """Something of an entry that can be copied (`copied`, called `what`) or gone to (`entry`)."""

    what: str
    copied: str
    entry: str | None = None


Placed = tuple[int | None, Line]
"""A row, and the place of the spot that it belongs to."""


def entry_rows(
    entry: Question, question: str, reached: str, here: int, ids: int, width: int, glyphs: Glyphs
) -> list[Line]:
    """The question; below, id, the way between layers, and what is known of its effect.

    `here` counts how often it was asked in the session that is open, `ids` are the cells of the longest id.
    """
    head = line((f" {one_line(question)}", "text"))
    move = f"{pad(entry.moves.from_.value, 9, right=True)} {glyphs.arrow} {pad(entry.moves.to.value, 9)}"
    below = [(f" {pad(entry.id, ids)} ", "key"), (f"{move} ", "muted"), (reached, _EFFECT_ROLES[reached])]
    marks = [one.value for one in entry.architectures] + ["upstream"] * entry.needs_upstream
    marks += ["deprecated"] * (entry.status == "deprecated")
    if here:
        below.append((f" {glyphs.dot} asked here{f' {here}{glyphs.times}' if here > 1 else ''}", "human"))
    if marks:
        below.append((f" {glyphs.dot} {', '.join(marks)}", "code"))
    return [clip(head, width, glyphs.more), clip(line(*below), width, glyphs.more)]


def column_rows(
    entry: Question, question: str, reached: str, here: int, ids: int, width: int, glyphs: Glyphs
) -> list[Line]:
    """For a list over the whole width of a small screen: the question over two rows, beside its id.

    Below the id stands the most telling mark. The way between layers is left to the entry.
    """
    times = f" {here}{glyphs.times}" if here > 1 else ""
    if here:
        mark, role = f"asked here{times}", "human"
    elif entry.status == "deprecated":
        mark, role = "deprecated", "code"
    elif reached != UNTESTED:
        mark, role = reached, _EFFECT_ROLES[reached]
    elif entry.architectures or entry.needs_upstream:
        mark = ", ".join([one.value for one in entry.architectures] + ["upstream"] * entry.needs_upstream)
        role = "code"
    else:
        mark, role = UNTESTED, _EFFECT_ROLES[UNTESTED]
    cells = max(ids, len("with a number"))
    first, *others = wrap_text(one_line(question), "text", width - cells - 2)
    short = text_of(clip(line((mark, role)), cells, glyphs.more))
    rest = " ".join(text_of(row).strip() for row in others)
    return [
        clip(line((f" {pad(entry.id, cells)} ", "key"), *first), width, glyphs.more),
        clip(line((f" {pad(short, cells)} ", role), (rest, "text")), width, glyphs.more),
    ]


def spots_of(entry: Question, question: str, named_by: Sequence[tuple[str, str]]) -> list[Spot]:
    """What can be copied or gone to, from the top: the question, related entries, the sources' links."""
    related = [(link.id, link.type) for link in entry.related] + list(named_by)
    return [
        Spot("question", question),
        *(Spot("id", one_line(other), other) for other, _ in related[:MANY]),
        *(Spot("link", one_line(address(source.ref), LONGEST)) for source in entry.sources[:MANY]),
    ]


def detail_rows(
    entry: Question,
    question: str,
    known: "Known",
    named_by: Sequence[tuple[str, str]],
    here: int,
    width: int,
    glyphs: Glyphs,
) -> list[Placed]:
    """Everything there is to say of an entry, each row with its spot of `spots_of`."""
    asked = entry.measurement
    rows: list[Placed] = [(0, row) for row in _wrapped(question, "question", width)]
    rows.append((None, ()))
    kinds = ", ".join(kind.value.replace("_", " ") for kind in entry.decision_kinds)
    closure = ", and refuses closure" if entry.refuses_closure else ""
    said = [
        ("asked at", kinds, "text"),
        ("moves", f"{entry.moves.from_.value} {glyphs.arrow} {entry.moves.to.value}{closure}", "strong"),
        ("settled by", f"{asked.method} (with {_several(asked.tools)})", "text"),
        ("number", f"{asked.number}, in {asked.unit}", "text"),
        ("answered by", entry.answered_when, "text"),
    ]
    for end in entry.outcomes[:MANY]:
        leads = leads_to(end.verdict, end.next)
        said.append(("if", f"{one_line(end.if_, LONGEST)} {glyphs.arrow} {leads}", "text"))
    rows += _labelled(said, width)
    rows += _labelled(effect_words(entry.id, known, glyphs), width)
    if here:
        times = "once" if here == 1 else f"{here} times"
        rows += _labelled([("here", f"asked {times} in this session", "human")], width)
    written, waived = entry.provenance, list(entry.lint_ok.items())[:MANY]
    devices = ", ".join(one.value for one in entry.architectures) or "any"
    rows += _labelled(
        [
            ("reviews", known.review_words(entry), "muted"),
            ("group", f"{entry.group.value}; {', '.join(one.value for one in entry.category)}", "muted"),
            (
                "for",
                f"{devices} devices{', with an upstream at hand' if entry.needs_upstream else ''}",
                "muted",
            ),
            (
                "provenance",
                f"{written.kind} {written.date}, {'with AI' if written.ai_assisted else 'without AI'}, "
                f"by {written.author}",
                "muted",
            ),
            *(("waived", _waived(entry, lint, why), "muted") for lint, why in waived),
        ],
        width,
    )
    spot = 1
    related = [(link.id, str(link.type)) for link in entry.related]
    for at, (other, how) in enumerate([*related, *named_by][:MANY]):
        words = related_words(how, other) if at < len(related) else named_words(how, other)
        rows += [(spot, row) for _, row in _labelled([("related", words, "key")], width)]
        spot += 1
    for source in entry.sources[:MANY]:
        rows += [
            (spot, row)
            for _, row in _labelled([("source", f"{source.lesson} ({source.seen})", "text")], width)
        ]
        indent = line((" " * (LABEL + 1), "text"))
        link = one_line(address(source.ref), LONGEST)
        rows += [(spot, row) for row in wrap_text(link, "code", width - 1, indent)]
        spot += 1
    if len(entry.sources) > MANY:
        rows += _labelled([("", f"and {len(entry.sources) - MANY} more sources", "faint")], width)
    return rows


def effect_words(entry: str, known: "Known", glyphs: Glyphs) -> list[tuple[str, str, str]]:
    """What came of asking it, with intervals; label, words and role a line."""
    if not known.read:
        return [("effect", "the records of askings are being read", "faint")]
    if known.effects_lost:
        return [("effect", f"not known: of the records of askings, {known.effects_lost}", "warn")]
    said: list[tuple[str, str, str]] = []
    row = known.row(entry)
    if row is None or not row.counted:
        said.append(("effect", UNTESTED, "faint"))
    if row is not None:
        said += _row_words(row, glyphs)
    for other in known.effects.get(entry, ()):
        if other.rehearsed:
            said += [("rehearsed", words, "faint") for _, words, _ in _row_words(other, glyphs)]
    return said


def _row_words(row: "Row", glyphs: Glyphs) -> list[tuple[str, str, str]]:
    said: list[tuple[str, str, str]] = []
    if row.counted:
        said.append(
            ("effect", f"asked {_count(row.counted, 'time')} in {_count(row.sessions, 'session')}", "text")
        )
        for what, share, beside in (
            ("a number came back", row.answered, row.matched_answered),
            ("a layer was measured for the first time", row.new_layer, row.matched_new_layer),
        ):
            words = f"{what}: {_share(share, glyphs)}"
            if beside.total:
                words += f"; where nothing was asked, {_share(beside, glyphs)}"
            said.append(("", words, "good" if share.hits else "text"))
    left = [f"{row.other_wording} in other words"] * bool(row.other_wording)
    left += [f"{row.together} together with others"] * bool(row.together)
    if left:
        said.append(("", f"asked {' and '.join(left)} as well, which count for nothing here", "faint"))
    return said


def _waived(entry: Question, lint: str, why: Excuse) -> str:
    void = "" if why.text == text_hash(entry.question) else "; void: the question has changed"
    return f"{lint} by {why.by}: {why.reason}{void}"


def _share(share: "Share", glyphs: Glyphs) -> str:
    """`3 of 5 (23-88 %)`: Wilson's 95 % interval."""
    if share.interval is None:
        return "never"
    low, high = share.interval
    dash = "–" if glyphs.braille else "-"
    return f"{share.hits} of {share.total} ({100 * low:.0f}{dash}{100 * high:.0f} %)"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more


def _wrapped(text: str, role: str, width: int) -> list[Line]:
    return wrap_text(one_line(text, LONGEST), role, width - 1, ((" ", "text"),))


def _labelled(said: Iterable[tuple[str, str, str]], width: int) -> list[Placed]:
    rows: list[Placed] = []
    for label, text, role in said:
        lead = line((f" {pad(label, LABEL)}", "heading"))
        hang = ((" " * (LABEL + 1), "text"),)
        rows += [(None, row) for row in wrap_text(one_line(text, LONGEST), role, width - 1, lead, hang)]
    return rows
