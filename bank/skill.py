"""The bank as a skill folder: a short `SKILL.md`, and pages of questions, each loaded when it is needed.

The layout is that of Agent Skills: `<folder>/kernelseek/SKILL.md` with a front matter of `name` (at most 64
characters, the folder's name) and `description` (at most 1024). A page a group holds the core entries, one
more those that need another implementation, and one a family of devices those for it. `docs/skills/` holds
the shipped bank's, written by `python -m bank.forms`.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from bank.bank import Bank
from bank.params import fill
from bank.question import Architecture, Group, Question
from bank.titles import FAMILIES, MOMENTS, PURPOSES, TITLES, UPSTREAM, UPSTREAM_PURPOSE, leads_to
from sessions.vocabulary import DecisionKind

NAME = "kernelseek"
MAIN = "SKILL.md"
UPSTREAM_PAGE = "needs-another-implementation.md"
PAGES_A_MOMENT = 4
DESCRIPTION = (
    "How to make a GPU or CPU kernel faster without going round in circles: five stages, and a bank of short "
    "questions that a measurement answers. Use it when you start on a kernel, when the score stops moving, "
    "before you say that a limit is reached or that the work is complete, when a gain looks too good, and "
    "when a wrong result was explained instead of repaired. Load one group of questions at a time."
)


def page_of(group: Group) -> str:
    """The path of a group's page inside the skill's folder, with `/`: its core entries."""
    return f"groups/{group.value}.md"


def family_page(family: Architecture) -> str:
    """The path of the page of the entries for one family of devices."""
    return f"architectures/{family.value}.md"


def skill_files(bank: Bank) -> dict[str, str]:
    """Every file of the skill, path inside its folder to text. The same bank gives the same files."""
    groups = [group for group in Group if bank.select(group=group, core=True)]
    families = [family for family in Architecture if bank.select(architecture=family)]
    compared = _compared(bank)
    pages = {
        page_of(group): _page(TITLES[group], PURPOSES[group], bank.select(group=group, core=True))
        for group in groups
    }
    if compared:
        pages[UPSTREAM_PAGE] = _page(UPSTREAM, UPSTREAM_PURPOSE, compared)
    for family in families:
        entries = bank.select(architecture=family)
        pages[family_page(family)] = _page(FAMILIES[family], f"devices of the family {family}", entries)
    return {MAIN: "\n".join(_main(bank, groups, families)) + "\n", **pages}


def _compared(bank: Bank) -> list[Question]:
    # An entry for one family stands on that family's page, whatever else it needs.
    return [entry for entry in bank.select(upstream=True) if not entry.architectures]


def write_skill(bank: Bank, folder: Path) -> Path:
    """Write the skill to `folder/kernelseek/`, replacing its files there; the folder of the skill.

    Pages that the bank no longer has are removed. Raises `OSError`.
    """
    root = folder / NAME
    files = skill_files(bank)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for page in (*root.glob("groups/*.md"), *root.glob("architectures/*.md"), root / UPSTREAM_PAGE):
        if page.relative_to(root).as_posix() not in files:
            page.unlink(missing_ok=True)
    return root


def _main(bank: Bank, groups: list[Group], families: list[Architecture]) -> Iterator[str]:
    yield from ("---", f"name: {NAME}", f'description: "{DESCRIPTION}"', "---", "")
    yield _BODY
    yield from ("## When to ask, and which page to load", "")
    yield from ("| moment | pages to try first |", "| --- | --- |")
    for kind, moment in MOMENTS.items():
        if serving := _serving(bank, groups, kind):
            yield f"| {moment} | {', '.join(f'[{group}]({page_of(group)})' for group in serving)} |"
    yield from ("", "## The pages", "", "| page | what its questions are about |", "| --- | --- |")
    for group in groups:
        yield f"| [{TITLES[group]}]({page_of(group)}) | {PURPOSES[group]} |"
    if _compared(bank):
        yield f"| [{UPSTREAM}]({UPSTREAM_PAGE}) | {UPSTREAM_PURPOSE} |"
    for family in families:
        yield f"| [{FAMILIES[family]}]({family_page(family)}) | only where the kernel runs on such a device |"
    yield from ("", f"Generated from the question bank {bank.version}.")


def _serving(bank: Bank, groups: list[Group], kind: DecisionKind) -> list[Group]:
    """The groups with the most core entries for a kind of moment; of equals the one that stands first."""
    counts = {group: len(bank.select(group=group, kind=kind, core=True)) for group in groups}
    ordered = sorted((group for group in groups if counts[group]), key=lambda group: -counts[group])
    return ordered[:PAGES_A_MOMENT]


def _page(title: str, purpose: str, entries: Iterable[Question]) -> str:
    lines = [f"# {title}", "", f"For {purpose}.", ""]
    lines += [
        "Pick one question, answer it with a number measured on the current build, and say what the number",
        "changes.",
    ]
    if all(entry.status == "experimental" for entry in entries):
        lines[-1] += " None of them has been shown to help yet: they are experimental."
    for entry in entries:
        lines += ["", *_entry(entry)]
    return "\n".join(lines) + "\n"


def _entry(entry: Question) -> Iterator[str]:
    moments = ", ".join(kind.value.replace("_", " ") for kind in entry.decision_kinds)
    measured = entry.measurement
    yield from (f"## {entry.id}", "", f"**{fill(entry.question, {})}**", "")
    yield f"- asked at: {moments}"
    yield f"- measure: {measured.method} ({', '.join(measured.tools)})"
    yield f"- number: {measured.number}, in {measured.unit}"
    for outcome in entry.outcomes:
        yield f"- if {outcome.if_}: {leads_to(outcome.verdict, outcome.next)}"
    yield f"- answered by: {entry.answered_when}"
    if entry.architectures:
        yield f"- for: {', '.join(family.value for family in entry.architectures)}"
    if entry.needs_upstream:
        yield "- needs another implementation to compare with"


_BODY = """\
# Questions before edits

What stalls work on a kernel is seldom a missing trick. It is looking in one place for too long. Each question
here is answered by a measurement, holds no answer, and points at another part of the system.

## Five stages

1. **Set the scope.** List what the operator has to support and the scenarios that show it. If a feature has
   no scenario, say so before you optimise. Know what each clause of the goal counts.
2. **Measure the start.** Time the kernel you were given, as it is, over every scenario. Keep the numbers; all
   later ones are read against them.
3. **Class every gap before you touch code.** For each slow scenario find out by a measurement what holds it
   back: `host` (time outside the kernel), `routing` (it runs another path or split than the fast ones) or
   `kernel` (the path is right and the kernel is slow). Record class and measurement with
   `kernelseek gap 'GLOB' CLASS --measured 'TEXT WITH ITS NUMBER'`; a slow scenario without one is not ready
   to be worked on.
4. **Bound it.** Get a floor on time that owes nothing to another implementation: bytes and operations over
   measured rates, or the same call with its work taken out. The distance to that floor is what can be won.
5. **Hypothesis, rewrite, gate.** Say what you expect to change, by how much, and which number would prove
   you wrong. Make the one change. Let the judge decide: it is correct on every scenario and clear of the
   noise, or it goes.

## At a moment worth a question

1. Find the moment in the table below and load **one** page. Do not read all of them. The page of your
   device's family may be that one, and where you can run another implementation, the page for that.
2. Pick one question: the one whose answer you know least.
3. Answer it with a number from a measurement that you make now, on the current build. An older number, an
   estimate or an explanation is no answer.
4. Say which clause of the goal or which of your claims the number changes, or that it changes none.

## Limits

A limit stands only after you have tried to disprove it and put that on record: what you would see if the
limit were not real, the measurement that looks for it in a layer you had not measured or against a bound, and
its number. Without that record, do not write that a limit is reached; write that you have stopped looking.

## Subagents

Give each subagent one hypothesis. It returns the hypothesis and the measurement that tests it, with the
number. It does not edit the candidate and does not return a patch; you decide what the number is worth.
"""
