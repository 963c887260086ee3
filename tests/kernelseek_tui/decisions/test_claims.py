import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelseek_tui.decisions.claims import claims_in, claims_of, mask
from kernelseek_tui.decisions.phrases import FAMILIES, HINTS, Family
from sessions.events import AgentText, HumanMessage, Thinking, ToolResult


def alternatives(family: Family) -> Iterator[str]:
    """The phrases of a family, one by one, less the looks around that only narrow them."""
    depth = start = 0
    pattern = re.sub(r"\(\?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", family.pattern.pattern)
    for place, sign in enumerate(pattern):
        escaped = place > 0 and pattern[place - 1] == "\\"
        depth += (sign == "(") - (sign == ")") if not escaped else 0
        if sign == "|" and depth == 0:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


LIMITS = [
    "Decode is at 0.87x and I believe that is a genuine ceiling within the rules.",
    "This kernel is at its bandwidth limit.",
    "We are well into diminishing returns here.",
    "The reduction has hit the memory wall.",
    "No further gains are possible with this layout.",
    "It cannot be made any faster without new hardware.",
    "Further speedups would require a rewrite of the scheduler.",
    "I suggest we accept 0.87x for this family.",
    "The rest is launch overhead that cannot be avoided.",
    "The remaining gap is just noise.",
    "That is the best we can do on this device.",
    "There is no room left for improvement.",
    "The loop saturates the memory bus, so I stop.",
    "We’re essentially at the roofline of the device.",
    "1.4x is the limit.",
    "Hardware limit reached.",
    "I don't think this can go any faster.",
    "We're within 3% of speed of light, so I'll look no further.",
    "hit a wall at 0.48x",
    "There is no low-hanging fruit left.",
]
COMPLETIONS = [
    "The work is done: 40 of 40 scenarios are correct.",
    "The goal of this session is achieved.",
    "Done.",
    "**Fixed!** Removed the stray copies.",
    "All tasks complete. The table is below.",
    "check.py PASS. Done.",
    "Implementation complete.",
    "The solution has been written to out/solution.py and avoids all forbidden calls.",
    "The kernel is ready for submission.",
    "Final result: 3.2x over the start.",
    "All 9 tasks completed",
    "I've successfully implemented the fused kernel.",
    "Every clause is now met.",
    "We have reached the goal of 1.8x on four of four scenarios.",
    "The work is done: 40 of 40 scenarios.",
    "I'm done with it? No: I am done.",
    "## Summary\n\nThe kernel was rewritten.\n- Implemented vector loads\n- Removed the copy",
]
INNOCENT = [
    "The kernel is done compiling.",
    "All tests are done in under a minute.",
    "We have reached the goal of 1.8x on two of four scenarios.",
    "The work is done for some of the scenarios.",
    "I have implemented the helper script.",
    "The user said the work is done.",
    "They believe this is the hardware limit.",
    "That it is the hardware limit was wrong.",
    "The note that the work is done is premature.",
    "All clean. I fixed the tests earlier.\n\nSummary of what was done:\n\n1. A look at the code.",
    "The build is done.",
    "Fetch complete. Running the analysis now.",
    "Chunk 9 done (6518 total). 4 chunks left.",
    "Task 4 done. Now let me benchmark and optimize.",
    "All shapes pass. Let me run the official check.",
    "Let me mark the final task complete.",
    "Once every scenario is fast the work is done.",
    "If the roofline says so, this is the hardware limit.",
    "The work is done when every scenario is at parity.",
    "Is this the hardware limit?",
    "That is still below parity, so the goal is not met.",
    "We are far from the memory limit.",
    "My statement that the work is done was false.",
    "I withdraw the ceiling claim.",
    "The current approach is hitting a compiler ceiling. Let me implement another tiling.",
    "The approach has hit the memory wall. Next I will try shared memory.",
    "Let me find the actual hardware limiter rather than guess.",
    "It hit the shared memory limit of 48 KB.",
    "The loop might be at its bandwidth limit.",
    "The user wrote “the work is done” in the issue.",
    "> The work is done.",
    "```\nThe work is done.\n```",
    "The log prints `the work is done` at the end.",
    "| status | the work is done |",
    "[command (120 chars)\necho The work is done.",
    "The plan is that the kernel is done by noon, so I need to write it.",
    "Done! Let me run the benchmark.",
    "This session is being continued from a previous conversation. The work is done.",
]


@pytest.mark.parametrize("text", LIMITS)
def test_sees_a_limit(text: str) -> None:
    assert [claim.kind for claim in claims_of(text)] == ["limit"]


@pytest.mark.parametrize("text", COMPLETIONS)
def test_sees_a_completion(text: str) -> None:
    assert [claim.kind for claim in claims_of(text)] == ["completion"]


@pytest.mark.parametrize("text", INNOCENT)
def test_leaves_innocent_text_alone(text: str) -> None:
    assert claims_of(text) == ()


def test_only_the_main_agents_own_words_claim() -> None:
    text = "The work is done."
    assert claims_in(AgentText(id="1", text=text)) == [("completion", text)]
    assert claims_in(AgentText(id="1", text=text, agent="sub")) == []
    assert claims_in(HumanMessage(id="1", text=text)) == []
    assert claims_in(Thinking(id="1", text=text)) == []
    assert claims_in(ToolResult(id="1", call="c", output=text)) == []


def test_quotes_are_the_agents_words_and_short() -> None:
    long = "The work is done: " + "and so on, " * 60 + "and that is it."
    (claim,) = claims_of(long)
    assert len(claim.quote) <= 280
    assert claim.quote.startswith("The work is done: and so on")
    (short,) = claims_of("Done. The table is below.\nAnother line.")
    assert short.quote == "Done. The table is below."


def test_a_report_is_quoted_from_below_its_heading() -> None:
    text = "All clean. I fixed the tests earlier.\n\nSummary of what was done:\n\n1. Built a fused kernel."
    (claim,) = claims_of(text)
    assert claim.quote.endswith("Built a fused kernel.")
    assert "earlier" not in claim.quote


@pytest.mark.parametrize("place", range(sum(1 for family in FAMILIES for _ in alternatives(family))))
def test_every_phrase_holds_a_hint(place: int) -> None:
    # A phrase without one would never be looked for.
    pattern = [pattern for family in FAMILIES for pattern in alternatives(family)][place]

    @given(st.from_regex(re.compile(pattern, re.ASCII | re.IGNORECASE), fullmatch=True))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def check(text: str) -> None:
        assert any(hint in text.lower() for hint in HINTS)

    check()


def test_one_message_may_claim_both_but_each_once() -> None:
    text = "The work is done. All tasks complete. This is the hardware limit. It is at the roofline."
    assert sorted(claim.kind for claim in claims_of(text)) == ["completion", "limit"]


def test_masking_keeps_offsets() -> None:
    text = 'A `b c` "d e" ```\nf\n``` g'
    assert len(mask(text)) == len(text)
    assert mask(text).startswith("A ·····")


HOSTILE = {
    "words": "the " * 20_000 + "done",
    "quotes": '"' * 40_000 + " limit",
    "opening quotes": "“" * 40_000 + " limit",
    "backticks": "`" * 40_001 + " done",
    "half a phrase": "remaining gap is " * 5_000,
    "many claims, then work": "The work is done. " * 5_000 + "Let me try another tiling.",
    "hyphens": "a-" * 40_000 + " done",
    "empty lines": "\n" * 40_000 + "summary",
    "spaces": "the" + " " * 80_000 + "work is done",
    "brackets": ("[a " * 20_000 + "\n") * 2 + "done",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_ends(text: str) -> None:
    # Long runs that make a careless pattern backtrack for minutes.
    assert len(claims_of(text)) <= 2
