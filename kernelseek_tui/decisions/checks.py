"""What a command's output says about right and wrong: passes, failures, errors out of any tolerance, counts.

Deliberately narrow, and read from the output of commands only: a file that holds such words checks nothing.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text
from sessions.state import SessionState, ToolRun
from sessions.vocabulary import FILES_ONLY

LOOKED_AT = 20_000  # characters at the end of an output: verdicts are printed last

_FAILS = re.compile(
    r"^[^\w\n]{0,8}(?:FAIL(?:ED|URE)?|MISMATCH|INCORRECT|WRONG)\b(?!\s*[:=]\s*(?:0|[Nn]one|[Ff]alse)\b)|"
    r"(?<![\w.])[1-9]\d* (?:tests? |cases? |scenarios? )?(?:failed|failures|mismatch(?:es|ed)?|wrong|"
    r"incorrect)\b|"
    r"\bAssertionError\b|\btolerance exceeded\b|\bnot (?:all)?close\b|\b(?:all_?close|correct|passed|"
    r"match\w*)\b"
    r"[ \t]*[:=][ \t]*(?:False|no\b)|\b(?:output|solution|result)s? (?:contains?|has) (?:NaN|inf)\b|"
    r"\bcosine\b[^\n]{0,20}?[01]\.\d+ < |[^\n]\s(?:FAIL|MISMATCH|WRONG)(?:ED)?\s*$",
    re.MULTILINE,
)
_PASSES = re.compile(
    r"^[^\w\n]{0,8}(?:ALL )?(?:TESTS? )?PASS(?:ED)?\b(?!\w*[:=]\s*(?:0|false))|"
    r"(?<![\w.])[1-9]\d* (?:tests? )?passed\b|\ball (?:\w+ ){0,3}(?:pass(?:ed)?|ok|correct)\b|"
    r"\b(?:all_?close|correct(?:ness)?|passed)\b[ \t]*[:=][ \t]*(?:True|PASS\w*|OK|yes)\b|"
    r"[^\n]\s(?<!NOT )(?-i:PASS(?:ED)?)[ \t]*$|\berr(?:or)?\b[^\n]{0,30}?\s(?<!NOT )(?-i:PASS(?:ED)?)\b",
    re.MULTILINE | re.IGNORECASE,
)
_PASSED_OF = re.compile(
    r"(?<![\w./-])(\d{1,6}) ?(?:/|of|out of) ?(\d{1,6}) (?:\w+ ){0,2}?"
    r"(?:tests?|scenarios?|cases?|shapes?|configs?|passed|correct|ok)\b",
    re.IGNORECASE,
)
_PASSED = re.compile(r"(?<![\w.])(\d{1,6}) (?:tests? |cases? |scenarios? )?passed\b", re.IGNORECASE)
_RAN = re.compile(r"\bran (\d{1,6}) tests?\b", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:checked|tested|verified|compared) (\d{1,6}) (?:\w+ )?"
    r"(?:tests?|cases?|scenarios?|shapes?|configs?)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:max_?|mean_?)?(?:abs_?|rel_?)?(?:err(?:or)?|diff|deviation)(?:_?(?:abs|max|rel))?"
    r"[ \t]*[=:][ \t]*(nan|inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"(?:python[0-9.]*|pypy\S*|pytest|py\.test|nvcc|make|ninja|ctest|cargo|bench\w*|check\w*|test\w*)\Z"
)
# An error as large as the values themselves is out of any tolerance that a kernel is given.
LARGE_ERROR = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """What one output says. `passed` is None where it says neither, or both.

    `ran` is the number of tests or scenarios that it counts, where it counts any.
    """

    passed: bool | None
    quote: str
    ran: int | None = None


def command_of(state: SessionState, event: ev.AnyEvent) -> ToolRun | None:
    """The command whose result this is, unless it only read or wrote files."""
    if not isinstance(event, ev.ToolResult) or event.agent is not None:
        return None
    run = state.run_of(event.call)
    if run is None or run.result is not event:
        return None
    return run if run.activity not in FILES_ONLY or _runs_a_program(run) else None


def _runs_a_program(run: ToolRun) -> bool:
    """A pipeline that ends in `tail` looks like reading, and so does a chain that begins with `cd`."""
    command = command_text(run.call.tool, run.call.input)
    return command is not None and any(_PROGRAM.match(part.program) for part in split(command))


def check_of(output: str) -> Check | None:
    """The verdict that an output prints, if it prints one."""
    return _check_of(output[-LOOKED_AT:])


@lru_cache(maxsize=32)  # several detectors look at the same output
def _check_of(text: str) -> Check | None:
    failed, passed = _FAILS.search(text), _PASSES.search(text)
    if failed is None and passed is None:
        large = large_error(text)
        return Check(False, large) if large else None
    ran = tests_run(text)
    said = failed or passed
    assert said is not None  # one of them was found
    return Check(failed is None, line_at(text, said.start(), said.end()), ran)


def tests_run(text: str) -> int | None:
    """How many tests or scenarios an output counts: the largest total that it names."""
    totals = [int(match[2]) for match in _PASSED_OF.finditer(text) if int(match[1]) <= int(match[2])]
    totals += [int(match[1]) for pattern in (_PASSED, _RAN) for match in pattern.finditer(text)]
    return max(totals, default=None)


def said_to_run(text: str) -> tuple[int, str] | None:
    """How many cases a check says that it looked at, without a verdict, and the line that says so."""
    found = max(_SAID.finditer(text[-LOOKED_AT:]), key=lambda match: int(match[1]), default=None)
    return (int(found[1]), " ".join(found.group().split())[:200]) if found else None


def large_error(text: str) -> str | None:
    """The line of an error as large as the values themselves, NaN or infinite, if there is one."""
    for match in _ERROR.finditer(text):
        if is_large(match[1]):
            return line_at(text, match.start(), match.end())
    return None


def is_large(number: str) -> bool:
    """NaN, infinite, or one and more."""
    return number.lower() in ("nan", "inf") or float(number) >= LARGE_ERROR


def line_at(text: str, start: int, end: int) -> str:
    """The line around a place, in one piece and short."""
    line = text[text.rfind("\n", 0, start) + 1 : (text + "\n").index("\n", end)]
    return " ".join(line.split())[:200]
