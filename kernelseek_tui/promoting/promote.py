"""The draft that a person's question becomes: its words without the session, and what it led to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bank.drafting.checking import answers, asks_no_number, too_long, weight
from bank.drafting.counting import LEAD, counted
from bank.drafting.defaults import NOT_WRITTEN, TOOLS
from bank.drafting.draft import Wanted
from bank.drafting.figures import FigureKind, figure_kind
from bank.drafting.secrets import without_secrets
from bank.drafting.sentences import as_question, printable
from bank.drafting.stripping import Stripped, Taken, strip
from bank.question import Evidence, Moves
from kernelseek_tui.effects.calls import layers_measured
from kernelseek_tui.effects.earlier import Earlier
from kernelseek_tui.effects.outcome import outcome
from kernelseek_tui.effects.points import unasked
from kernelseek_tui.effects.window import within
from kernelseek_tui.promoting.session import Asked, Read, points_before, questions_of
from kernelseek_tui.review.acts import read_message
from sessions.layer_rules import RECOGNISABLE
from sessions.seen import ToolRun
from sessions.vocabulary import FILES_ONLY, DecisionKind, Layer

READ_MORE = 20_000
"""Characters of a message that are redacted: more than are looked at, so that no key is cut at the end."""
NAMES = "Read the draft for names of people, machines and companies: they cannot all be known."
_BY_THE_WAY = frozenset({Layer.BUILD, Layer.PROCESS})  # every step builds


@dataclass(frozen=True, slots=True)
class Promotion:
    """What was found for the draft.

    `said` stands above it in the file and is told; it quotes nothing. `told` is for the screen alone, since
    it holds the person's own words, redacted.
    """

    wanted: Wanted
    said: list[str]
    told: list[str]


@dataclass(frozen=True, slots=True)
class _Offer:
    """A question of the message: as it stood there, without the session, and the rules it leaks by."""

    sentence: str
    stripped: Stripped
    lead: str
    leaks: tuple[str, ...]


def promote(read: Read, asked: Asked, kinds: Sequence[DecisionKind] = ()) -> Promotion:
    """Everything that a session says of a draft. `kinds`: the kinds of moment, where a person names them.

    Without any, and with no decision point before the question, the draft has none.
    """
    clean = without_secrets(asked.event.text[:READ_MORE], read.redactor.text)
    said = [
        f"Promoted from the session {read.session}, event {asked.id}. Finish it, then remove these lines."
    ]
    told = [f"asked: {printable(clean)[:2000]}"]
    question, sentence = _question(read, clean, said, told)
    found_kinds = tuple(kinds) or _kinds(read, asked, said)
    moves = _moves(read, asked, said)
    figure = None if asks_no_number(question) else _figure(read, asked)
    if figure is None and question != NOT_WRITTEN and asks_no_number(question):
        said.append("It asks for yes or no, or for reasons: number and unit are left for you.")
    # That of the sentence that was taken goes before that of the whole message.
    categories = (read_message(sentence).category, read_message(clean).category)
    _followed(read, asked, said)
    evidence = _evidence(read, asked, found_kinds)
    wanted = Wanted(
        question=question,
        kinds=found_kinds,
        category=tuple(dict.fromkeys(one for one in categories if one is not None)),
        moves=moves,
        tools=_tools(read, asked),
        number=figure.number if figure else "",
        unit=figure.unit if figure else "",
        provenance="promoted",
        evidence=(evidence,),
    )
    told.append(NAMES)
    return Promotion(wanted, said, [_clean(read, text) for text in told])


def _question(read: Read, clean: str, said: list[str], told: list[str]) -> tuple[str, str]:
    """The best of the message's questions, stripped, and as it stood there.

    In place of one that carries its answer a gap is put.
    """
    ids = {row.id for seen in read.state.evaluations for row in seen.event.scenarios}
    asking = questions_of(clean)
    offers: list[_Offer] = []
    for sentence in asking[:8]:
        bare, lead = as_question(sentence)
        stripped = strip(bare, ids)
        leaks = [f"{one.lint} ({one.words})" for one in (*answers(bare), *answers(stripped.text))]
        if too_long(stripped.text):
            leaks.append("Q03 (too long)")
        offers.append(_Offer(sentence, stripped, lead, tuple(dict.fromkeys(leaks))))
    free = [offer for offer in offers if not offer.leaks]
    for offer in offers:
        if offer.leaks:
            told.append(f"not taken over for {', '.join(offer.leaks)}: {offer.stripped.text[:200]}")
    if not free:
        rules = ", ".join(sorted({leak.split(" ")[0] for offer in offers for leak in offer.leaks}))
        said.append(f"Its words are not here: they carry an answer or are too many ({rules}). Ask it anew.")
        return NOT_WRITTEN, ""
    best = min(free, key=lambda offer: weight(offer.stripped.text))
    stripped, lead = best.stripped, best.lead
    if len(asking) > 1:
        said.append(f"Taken is one of {len(asking)} questions of the message.")
    taken = [*([Taken(lead, "", LEAD)] if lead else []), *stripped.taken]
    # What was taken out is to be in no file: it is what nobody else is to read.
    told += [f"taken out: {one.words[:120]} ({one.why}), now {one.put or 'nothing'}" for one in taken]
    if taken:
        said.append(f"Taken out: {counted(taken)}.")
    else:
        said.append("Nothing was taken out: no listed name, file, identifier or number was found.")
    return _clean(read, stripped.text), best.sentence


def _clean(read: Read, text: str) -> str:
    """Once more, since words stand together now that did not before."""
    return printable(without_secrets(text, read.redactor.text))


def _kinds(read: Read, asked: Asked, said: list[str]) -> tuple[DecisionKind, ...]:
    points = points_before(read, asked)
    if not points:
        said.append("No decision point lies before it.")
        return ()
    names = ", ".join(dict.fromkeys(seen.event.decision.value for seen in points))
    said.append(f"Moment: {names}, raised {_count(asked.index - points[-1].index, 'event')} before.")
    return tuple(dict.fromkeys(seen.event.decision for seen in points))


def _moves(read: Read, asked: Asked, said: list[str]) -> Moves:
    """From where the agent had been working to what it measured or visited for the first time after it."""
    found = asked.outcome
    start = found.before or Layer.KERNEL
    after = [visit.layer for visit in within(read.state.visits, asked.span)]
    visited = {visit.layer for visit in read.state.visits if visit.index <= asked.span.start}
    # A profile of the layer it was in shows others as well: those are the last to be taken for a move.
    elsewhere = [run for run in _runs(read, asked) if start not in layers_measured(run)]
    choices = (
        *found.first_measured,
        *(layer for layer in after if layer not in visited and layer not in _BY_THE_WAY),
        *(layer for run in elsewhere for layer in layers_measured(run) if layer not in _BY_THE_WAY),
        *(layer for layer in found.measured if layer not in _BY_THE_WAY),
        *([found.after] if found.after is not None else []),
    )
    end = next((layer for layer in choices if layer is not start), start)
    if found.before is None:
        said.append("No layer was visited before it: kernel is assumed.")
    if end is start:
        unseen = ", ".join(layer.value for layer in Layer if layer not in RECOGNISABLE)
        said.append(
            f"No layer but {start.value} was seen in what followed, and no tool call shows {unseen}: "
            "the layer in moves.to is a gap, write the one that the answer led to."
        )
    return Moves(**{"from": start, "to": end})


def _followed(read: Read, asked: Asked, said: list[str]) -> None:
    found = asked.outcome
    gain = math.exp(found.change) if found.change is not None else None
    withdrawn = found.claim in ("withdrawn", "refuted")
    parts = []
    if found.first_measured:
        parts.append(f"measured for the first time: {', '.join(found.first_measured)}")
    if found.calls is not None:
        parts.append(f"a number came back after {_count(found.calls, 'tool call')}")
    if gain is not None and gain > 1:
        parts.append(f"the best score went up by a factor of {gain:.3f}")
    if withdrawn:
        parts.append(f"the claim it was asked about was {found.claim}")
    if not parts:
        said.append("Nothing followed: no layer measured for the first time, no number, no gain.")
    else:
        said.append(f"What followed, which need not be its doing: {'; '.join(parts)}.")
    if read.state.rehearsed:
        said.append("The agent was rehearsed: this shows nothing of real ones.")


def _evidence(read: Read, asked: Asked, kinds: Sequence[DecisionKind]) -> Evidence:
    found = asked.outcome
    return Evidence(
        session=read.session,
        event=asked.id,
        before=found.before,
        after=found.measured or ((found.after,) if found.after is not None else ()),
        number=found.calls is not None,
        change=_factor(found.change),
        matched=_factor(_matched(read, asked, kinds)),
        claim=found.claim,
        rehearsed=read.state.rehearsed,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _factor(change: float | None) -> float | None:
    return None if change is None else round(math.exp(change), 4)


def _matched(read: Read, asked: Asked, kinds: Sequence[DecisionKind]) -> float | None:
    """The median change at moments of these kinds at which nothing was asked, after as many evaluations."""
    length = len(asked.outcome.changes)
    alike = [
        one for one in unasked(read.state, read.series, read.decisions) if one.seen.event.decision in kinds
    ]
    if not length:
        return None
    earlier = Earlier(read.state, read.series)
    found = [outcome(read.state, read.series, one.span, earlier=earlier).changes for one in alike]
    changes = [one[length - 1] for one in found if len(one) >= length]
    return median(changes) if changes else None


def _runs(read: Read, asked: Asked) -> list[ToolRun]:
    return [run for run in within(read.state.tools, asked.span) if run.activity not in FILES_ONLY]


def _tools(read: Read, asked: Asked) -> tuple[str, ...]:
    return tuple(dict.fromkeys(TOOLS[run.activity] for run in _runs(read, asked) if run.activity in TOOLS))[
        :3
    ]


def _figure(read: Read, asked: Asked) -> FigureKind | None:
    """The kind of the first figure that the agent told once a command had answered."""
    came = [run.result_index for run in _runs(read, asked) if run.result_index is not None]
    for seen in within(read.state.texts, asked.span):
        if came and seen.event.agent is None and seen.index > min(came):
            kind = figure_kind(seen.event.text[:4000])
            if kind is not None:
                return kind
    return None
