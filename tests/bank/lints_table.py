"""`docs/bank-lints.md`, made of the table of lints: `python -m tests.bank.lints_table` writes it.

A lint's example is the first of its fixtures, with what the lint really says of it.
"""

import tempfile
from pathlib import Path
from typing import Any

import yaml

from bank.admission import TABLE, Lint, lint_text
from bank.admission import coverage as goals
from bank.admission.copied import RUN
from bank.likeness import FEWEST_SHARED
from bank.reviews import CHECKLIST
from tests.bank.lint_cases import BASE, FIXTURES, findings

PAGE = Path(__file__).parents[2] / "docs" / "bank-lints.md"

HEAD = """\
# The admission rules of the bank

`kernelseek bank lint [PATH]` checks what a program can check; `kernelseek bank review` is for what needs a
reader. Made by `python -m tests.bank.lints_table`; a test fails when this page says anything else.

An **error** is never admitted. A **warning** is admitted by `lint_ok` in the entry, with a reason, a name and
the hash of the text that was looked at, and is refused without by `--strict`:

    kernelseek bank review kq-host-001 --lint-ok Q07 --reason 'the repeats are the point' --by Ada

puts one line into the entry's file and leaves the rest of it as it is:

    lint_ok: {Q07: {reason: 'the repeats are the point', by: 'Ada', text: '1a2b3c4d'}}

When the text changes the excuse is void, and an excuse for what does not fire is itself an error. Rules over
the bank as a whole (Q20, parts of Q21) belong to no entry and cannot be excused.
"""

REST = f"""\

## How some of them work

**Core entries** serve every device and compare with nothing. An entry with `needs_upstream` may use the words
of Q08, one with `architectures` those of Q06. Everything else holds for all.

**Q17** leaves out stop words and the bank's own idiom. With {FEWEST_SHARED} content words in common or more,
what only one question has counts little (rapidfuzz's `token_set_ratio`); with fewer the questions are also
compared whole (`token_sort_ratio`, the less of both), since a question of one or two content words is a part
of many others. It compares words, not meaning.

**Q19** takes texts without case and punctuation; a hyphen parts two words. Question, method, number and
`answered_when` are compared with every lesson of the bank; a lesson with those of earlier entries; all five
with the files given as `--sources FILE`, whose paragraphs, list items and table cells each stand alone. Texts
of fewer than {RUN} words and rewordings pass.

**Q20** is asked of the shipped bank's folder, and of another with `--coverage`: a bank of ten entries claims
nothing. It wants at least

- {goals.CORE} core entries, and {goals.GROUP_LEAST} to {goals.GROUP_MOST} of them in each group;
- {goals.NEEDS_UPSTREAM} entries that need an upstream;
- {goals.PER_ARCHITECTURE} for one architecture, and {goals.PER_FAMILY} for each family;
- {goals.MINED} mined ones with a source;
- {goals.PER_KIND} for each kind of decision point, out of {goals.GROUPS_PER_KIND} groups;
- {goals.PER_LAYER} about each layer.

An entry is about the layer that it moves to and those that its outcomes lead to; so the kernel, from which
questions mostly lead away, is counted as honestly as the others. `moves.from` does not count: it says where
an agent is assumed to be, and that is nearly always the kernel. Deprecated entries count nowhere. The figures
are goals set by us; nobody has shown that a bank needs them.

**Q21** looks for published ids in `ids.txt`: beside a folder that is named `entries`, in any other folder
itself. Without such a file none was published. `kernelseek bank lint --record-ids` adds the bank's ids.
"""

PEOPLE = """\

## What needs people

Of fifteen held-out questions that broke a rule in plain words a prototype of these lints found three. So an
entry is also read, and `kernelseek bank review ID --by NAME` records who did: one line for each entry in
`reviews.jsonl`, in the same place as `ids.txt`, for the present text only. `--status` lists what is left.

| test | what to do |
| --- | --- |
"""

LIMITS = """\

## What they are known to get wrong

Missed, and kept as fixtures so that this page stays true:

"""


def _example(case: Any) -> str:
    if isinstance(case, str):
        return f"“{case}”"
    if isinstance(case, list):
        return "; ".join(_example(item) for item in case)
    changed = {key: value for key, value in case.items() if BASE.get(key) != value and key != "words"}
    if "question" in changed and not changed.keys() - {"question", "id"}:
        return f"“{changed['question']}”"
    return f"`{yaml.safe_dump(changed, default_flow_style=True, width=10_000, sort_keys=False).strip()}`"


def _level(lint: Lint) -> str:
    return f"{lint.level}; {lint.otherwise}" if lint.otherwise else lint.level


def _row(lint: Lint) -> str:
    case = FIXTURES[lint.id]["flag"][0]
    with tempfile.TemporaryDirectory() as folder:
        found = findings(lint.id, case, Path(folder))[0]
        said = found.message.replace(f"{Path(folder)}/", "")
    cells = (f"**{lint.id}**", _level(lint), lint.what, lint.why, f"{_example(case)}: {said}")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def render() -> str:
    """The page."""
    lines = [
        HEAD,
        "| id | level | what is flagged | why | an example, and what is said |",
        "| --- " * 5 + "|",
    ]
    lines += [_row(lint) for lint in TABLE]
    page = "\n".join(lines) + "\n" + REST + PEOPLE
    page += "".join(f"| `{test.id}` | {test.title}. {test.todo} |\n" for test in CHECKLIST) + LIMITS
    page += "".join(f"- “{text}”\n" for text in FIXTURES["known_misses"])
    page += "".join(
        f"- “{one['question']}”, of the lesson “{one['lesson']}”\n" for one in FIXTURES["known_copies"]
    )
    page += "".join(f"- “{later}”, beside “{first}”\n" for first, later in FIXTURES["known_twins"])
    page += "\nFlagged, and innocent:\n\n"
    for alarm in FIXTURES["known_alarms"]:
        words = next(found.words for found in lint_text(alarm["text"]) if found.lint == alarm["lint"])
        page += f"- {alarm['lint']} for “{words}”: “{alarm['text']}”\n"
    return page


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
