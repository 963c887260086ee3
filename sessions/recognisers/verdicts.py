"""Right or wrong: verdict lines, counts of tests, and checks of several cases a line each."""

import re

from sessions.events import ToolCall
from sessions.recognisers.lines import LONGEST
from sessions.recognisers.protocol import Recognised

_QUICK = re.compile(r"pass|fail|correct|wrong|mismatch|close|\bok\b|✓|✅|✗|❌|\[  OK", re.IGNORECASE)
_PLAIN = re.compile(
    r"[\W_]{0,12}(?P<word>PASS|PASSED|FAIL|FAILED|CORRECT|INCORRECT|WRONG)\b(?P<rest>[:.! ].*)?\Z"
)
_NAMED = re.compile(
    r"[\W_]{0,12}(?:\w+\s+){0,2}?(?:correct(?:ness)?|allclose|validation|verif(?:y|ication)|accuracy|numerics|"
    r"check|test|result is correct|all_?close|match(?:es)?)(?:\s+(?:check|test|result))?\s{0,3}[:=]\s{0,3}"
    r"(?P<word>pass(?:ed)?|fail(?:ed|ure)?|ok|true|false|correct|incorrect|wrong|✓|✅|✗|❌)\b\W*",
    re.IGNORECASE,
)
_CASE = re.compile(
    r".{2,160}?[\s:.]\W{0,4}(?P<word>OK|PASS|PASSED|FAIL|FAILED|WRONG|MISMATCH|✓|✅|✗|❌)\W*\Z", re.DOTALL
)
_ASSERTED = re.compile(
    r"AssertionError: (?:Tensor-likes are not close|Scalars are not close|.{0,80}(?:mismatch|not close))"
    r"|Mismatched elements: \d+"
)
_PYTEST = re.compile(
    r"\b(?P<counts>(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+)"
    r" in \d"
)
_COUNT = re.compile(r"(\d+) (passed|failed|errors?)")
_OF = re.compile(
    r"\b(?P<part>\d{1,6})\s?(?:/|of|out of)\s?(?P<all>\d{1,6})\s+(?:\w+\s+){0,2}?(?:pass(?:ed)?|correct|ok)\b"
    r"|\b(?:passed|correct)\b\s?[:=]?\s?(?P<part2>\d{1,6})\s?/\s?(?P<all2>\d{1,6})\b",
    re.IGNORECASE,
)
_GOOD = frozenset(("pass", "passed", "ok", "true", "correct", "✓", "✅"))
_NO_TEST = re.compile(r"\b(?:if|should|must|when|until|expect\w*|want|usage|to pass|would)\b", re.IGNORECASE)


class Verdicts:
    """Recognises whether a check passed. One failure in an output makes all of it wrong."""

    name = "verdicts"

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """The verdict with its counts, where there are some."""
        if not _QUICK.search(text):
            return None
        good: list[str] = []
        bad: list[str] = []
        cases: list[bool] = []
        counted: tuple[int, int] | None = None
        place = 0
        while (hint := _QUICK.search(text, place)) is not None:
            start = text.rfind("\n", 0, hint.start()) + 1
            end = text.find("\n", hint.end())
            end = len(text) if end < 0 else end
            place = end + 1
            if end - start > LONGEST:
                continue
            line = text[start:end].strip()
            if (tests := _counts(line)) is not None:
                counted = tests
                continue
            match _verdict(line):
                case True:
                    good.append(line)
                case False:
                    bad.append(line)
                case None if (case := _CASE.match(line)) and not _NO_TEST.search(line):
                    cases.append(case["word"].lower() in _GOOD)
        if asserted := _ASSERTED.search(text):
            bad.append(asserted[0])
        return _recognised(good, bad, cases, counted)


def _recognised(
    good: list[str], bad: list[str], cases: list[bool], counted: tuple[int, int] | None
) -> Recognised | None:
    of_cases = counted is None and len(cases) > 1
    if of_cases:
        counted = sum(cases), len(cases)
    if counted is not None and counted[0] < counted[1]:
        bad.append(f"{counted[0]} of {counted[1]} passed")
    if not (good or bad or counted):
        return None
    if counted is not None and bad and counted[0] == counted[1]:
        counted = None  # the check stopped at a failure that the counted ones do not hold
    part, whole = counted or (0, 0)
    quote = " ".join((bad or good or [f"{part} of {whole} passed"])[0].split())[:240]
    return Recognised(
        status="WRONG" if bad else "CORRECT", correct=part, total=whole, cases=of_cases, quote=quote
    )


def _verdict(line: str) -> bool | None:
    found = _PLAIN.fullmatch(line) or _NAMED.fullmatch(line)
    if found is None or _NO_TEST.search(line):
        return None
    return found["word"].lower() in _GOOD


def _counts(line: str) -> tuple[int, int] | None:
    """(passed, all) of a line that counts."""
    if (tests := _PYTEST.search(line)) is not None:
        counts: dict[str, int] = {}
        for number, word in _COUNT.findall(tests["counts"]):
            counts[word.rstrip("s") if word.startswith("error") else word] = int(number)
        passed, failed = counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0)
        return (passed, passed + failed) if passed + failed else None
    if (of := _OF.search(line)) is not None and not _NO_TEST.search(line):
        part, whole = int(of["part"] or of["part2"]), int(of["all"] or of["all2"])
        return (part, whole) if whole > 0 and part <= whole else None
    return None
