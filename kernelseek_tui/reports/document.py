"""The report as headings, sentences and tables, in the order of reading: what Markdown and HTML draw."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelseek_tui.reports import figures as fig
from kernelseek_tui.reports.model import ORIGINS, REHEARSED, Report, SessionReport
from kernelseek_tui.reports.tables import (
    Table,
    claims_table,
    counts_table,
    jumps_table,
    layers_table,
    messages_table,
    moments_table,
    score_table,
)
from kernelseek_tui.review.jumps import LARGE
from sessions.archive.telling import redaction_report

__all__ = ["Block", "Heading", "Picture", "Table", "Words", "document"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the given level, 1 at the top."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence. `mark`: it has to be seen."""

    text: str
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """The score over the session; a format without pictures has the table beside it."""

    session: SessionReport


Block = Heading | Words | Picture | Table


def document(report: Report) -> Iterator[Block]:
    """Every block of a report; a campaign's summary table comes before its sessions."""
    yield Heading(1, f"Session report: {report.title}")
    if report.rehearsed:
        some = "" if all(one.rehearsed for one in report.sessions) else " Some of the sessions are:"
        yield Words(
            f"{some} {REHEARSED}. It shows that the parts work together, and nothing about models.".strip(),
            True,
        )
    if any(one.score.origin in ("parsed", "printed") for one in report.sessions):
        yield Words(f"Scores marked so are {ORIGINS['parsed']}.", True)
    yield Words(f"Made by kernelseek {report.version}, bank {report.bank_version}. Entries count from 0.")
    yield Words(_redaction(report))
    if len(report.sessions) > 1:
        yield campaign_table(report.sessions)
    for session in report.sessions:
        yield from _session(session, len(report.sessions) > 1)


def _redaction(report: Report) -> str:
    if report.redacted is None:
        return "Not redacted: keys, home paths, names and addresses stand here as the session has them."
    return (
        f"Keys, tokens, home paths, names and e-mail addresses are {redaction_report(report.redacted)}. "
        "Counted over all that was read; shapes are known, not meaning."
    )


def campaign_table(sessions: Sequence[SessionReport]) -> Table:
    """One row a session. Scores over different baselines stand beside one another; no mean is made."""
    rows = [
        (
            one.name,
            one.agent + (" (REHEARSED)" if one.rehearsed else ""),
            fig.ratio(one.score.first, one.score.ratio),
            fig.ratio(one.score.best, one.score.ratio),
            one.score.baseline,
            {"judge": "judge", "none": ""}.get(one.score.origin, "not judged"),
            str(one.counts.evaluations),
            str(len(one.flags)),
            f"{len(one.claims)} ({sum(claim.fate != 'stands' for claim in one.claims)} fell)",
            str(len(one.jumps)),
            str(sum(message.by == "human" for message in one.messages)),
            fig.share(one.counts.reading_share),
            fig.duration(one.counts.active_seconds),
            fig.money(one.spent.cost_usd),
        )
        for one in sessions
    ]
    columns: tuple[str, ...] = (
        "session",
        "agent",
        "first",
        "best",
        "over",
        "measured by",
        "evaluations",
        "decision points",
    )
    columns += ("claims", "large gains", "human messages", "own source read", "active", "cost")
    return Table("The sessions", columns, tuple(rows), numbers=frozenset({2, 3, 6, 7, 9, 10, 11, 12, 13}))


def _session(one: SessionReport, campaign: bool) -> Iterator[Block]:
    if campaign:
        yield Heading(2, one.name)
    if one.rehearsed and campaign:
        yield Words(REHEARSED, True)
    yield from _about(one)
    yield Heading(3, "Score over time")
    yield Words(_score_words(one), one.score.origin in ("parsed", "printed"))
    yield Picture(one)
    if one.recorded:
        yield Words("The decision points on the curve are those recorded at the time.")
    yield score_table(one)
    yield Heading(3, "What would have been asked, and when")
    yield Words(f"Today's detectors and bank see {fig.count(len(one.today), 'decision point')}.")
    yield moments_table("Decision points, with the questions ranked first", one.today)
    if one.recorded:
        asked = sum(len(moment.asked) for moment in one.recorded)
        yield Words(
            f"Recorded at the time: {fig.count(len(one.recorded), 'decision point')}, "
            f"{fig.count(asked, 'question')} asked for them."
        )
        yield moments_table("Decision points as recorded, with what was asked", one.recorded, asked=True)
    yield Heading(3, "Claims")
    yield Words(_claim_words(one))
    yield claims_table(one)
    yield Heading(3, "Large gains and the message before them")
    yield Words(_jump_words(one))
    yield jumps_table(one)
    yield Heading(3, "Messages")
    yield Words(_message_words(one))
    yield messages_table(one)
    yield Heading(3, "Layers")
    never = [row.layer for row in one.layers if row.how == "never visited"]
    yield Words(f"Never visited: {', '.join(never) or 'none'}.")
    yield layers_table(one)
    yield Heading(3, "Work, attention and spend")
    yield counts_table(one)


def _about(one: SessionReport) -> Iterator[Block]:
    started = f", started {one.started}" if one.started else ""
    agent = " ".join(part for part in (one.agent, f"({one.model})" if one.model else "") if part)
    yield Words(
        f"{one.format}, {fig.count(one.entries, 'entry', 'entries')}{started}."
        + (f" Agent: {agent}." if agent else "")
        + (f" Operator: {one.operator}." if one.operator else "")
        + (f" Questioner: {one.questioner}." if one.questioner else "")
        + f" Goal: {one.goal}."
    )
    if one.unknown or one.damaged:
        unknown = f"{fig.count(one.unknown, 'entry', 'entries')} not understood or of no use here. "
        damaged = f"Damaged: {'; '.join(one.damaged)}." if one.damaged else ""
        yield Words(((unknown if one.unknown else "") + damaged).strip())


def _score_words(one: SessionReport) -> str:
    score = one.score
    if score.origin == "none":
        return "No score is recognised in this session."
    over = f" over {score.baseline}" if score.ratio and score.baseline else ""
    marks = Counter(point.mark for point in score.points)
    words = (
        f"{score.named[0].upper()}{score.named[1:]}: {fig.count(len(score.points), 'measurement')} of "
        f"{score.scenario_set or 'one set'}{f' ({score.scenarios} scenarios)' if score.scenarios else ''}, "
        f"first {fig.ratio(score.first, score.ratio)}, best {fig.ratio(score.best, score.ratio)}{over}; "
        f"{marks['wrong']} wrong, {marks['ambiguous']} ambiguous."
    )
    if score.left_out:
        words += f" {score.left_out} more cannot be compared with these and are left out."
    return words


def _claim_words(one: SessionReport) -> str:
    kinds = Counter(claim.kind for claim in one.claims)
    fates = Counter(claim.fate for claim in one.claims)
    if not one.claims:
        return "No claim of completion or of a limit is recognised."
    bound = sum(claim.bound_entry is not None for claim in one.claims)
    tried = sum(claim.tried != "not tried" for claim in one.claims)
    became = ", ".join(f"{number} {fate}" for fate, number in fates.most_common())
    return (
        f"{fig.count(kinds['completion'], 'completion')} and {fig.count(kinds['limit'], 'limit')} claimed, "
        f"said {fig.count(one.claims_said, 'time')} in all; {bound} after a bound was spoken of, {tried} "
        f"followed by an attempt to disprove. Of them {became}. "
        "“Stands” means that nothing in this session speaks against it."
    )


def _jump_words(one: SessionReport) -> str:
    if not one.jumps:
        return f"No gain of {LARGE:.2f} times or more over the best before it."
    asked = sum(jump.act == "question" and not jump.opening for jump in one.jumps)
    moved = sum(bool(jump.moved_to) for jump in one.jumps)
    return (
        f"{fig.count(len(one.jumps), 'gain')} of {LARGE:.2f} times or more over the best before: {asked} "
        f"with a question as the last message before, {moved} with a layer visited first in between. "
        "This is the order in time, not a cause."
    )


def _message_words(one: SessionReport) -> str:
    acts = Counter(message.act or "unclear" for message in one.messages)
    asking = [message for message in one.messages if message.asks]
    categories = Counter(message.category or "unclear" for message in asking)
    if not one.messages:
        return "No message to the agent is recorded."
    words = f"By act: {', '.join(f'{number} {act}' for act, number in acts.most_common())}."
    if asking:
        listed = ", ".join(f"{number} {category}" for category, number in categories.most_common())
        words += (
            f" {fig.count(len(asking), 'message that asks', 'messages that ask')}, by category: {listed}."
        )
    return words + " Read by phrase rules; “unclear” where none speaks."
