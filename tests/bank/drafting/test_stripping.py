"""What belongs to one session is taken out and listed; what a bank may hold stays."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bank.admission import lint_text
from bank.drafting.figures import figure_kind
from bank.drafting.sentences import as_question, printable, sentences
from bank.drafting.stripping import strip
from bank.words import vocabulary
from tests.bank.builders import HERE
from tests.bank.lint_cases import FIXTURES, SAMPLES

IDS = ("d64_n512", "ragged-b8", "short")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("How long does a GEMM take on an H100?", "How long does an operator take on {arch}?"),
        ("Why is the attention kernel slow?", "Why is the kernel slow?"),
        ("Where do the 26 configurations lose?", "Where do the configurations lose?"),
        ("Why is it stuck at 0.87x?", "Why is it stuck at this ratio?"),
        ("What takes 5 us in /home/me/k/attn.cu:934?", "What takes this time in the file?"),
        ("What does nsys say of src/fused.cpp?", "What does the profiler say of the file?"),
        ("How far are we behind cuDNN?", "How far are we behind the bound?"),
        ("Why does `fill(out, 0)` run twice?", "Why does the part run twice?"),
        ("Why do d64_n512 and ragged-b8 lose?", "Why do {scenarios} lose?"),
        ("Is the d64_n512 scenario slow?", "Is {scenarios} slow?"),
        ("Why is a short run slow?", "Why is a short run slow?"),
        ("How many bytes cross L2 in two passes of 8?", "How many bytes cross L2 in two passes of 8?"),
        ("What does --use_fast_math change?", "What does the option change?"),
        ("Who is right, me@example.org or [api-key]?", "Who is right, the author or the value?"),
        ("What did https://example.org/a?b=1 measure", "What did the source measure"),
        ("Busy/idle: how many us/call?", "Busy/idle: how many us/call?"),
    ],
)
def test_strips(said: str, left: str) -> None:
    found = strip(said, IDS)
    assert found.text == left
    assert bool(found.taken) == (said != left)
    assert all(one.words and one.why for one in found.taken)


def _words(name: str) -> list[str]:
    lists = vocabulary(name)
    return [str(word) for key in ("words", "exact") for word in lists.get(key, ())]


@pytest.mark.parametrize("name", ["operators", "upstreams", "architectures"])
def test_no_listed_word_is_left_and_no_neutral_word_is_flagged(name: str) -> None:
    for word in _words(name):
        text = strip(f"How many microseconds does {word} cost?").text
        broken = {found.lint for found in lint_text(text)} & {"Q04", "Q05", "Q06", "Q07"}
        assert not broken, (word, text)


def test_admitted_questions_stay_as_they_are() -> None:
    changed = {text: strip(text).text for text in SAMPLES["good"].values() if strip(text).text != text}
    assert changed == {}, HERE


def test_flagged_wordings_lose_what_was_flagged() -> None:
    for lint in ("Q04", "Q05", "Q07"):
        for text in FIXTURES[lint]["flag"]:
            left = strip(text).text
            assert lint not in {found.lint for found in lint_text(left)}, (text, left)


@given(st.text(max_size=300))
@example("{{}}'\"\n\x1b[31m- id: 'x'")
@example("attention " * 30 + "attention")
def test_any_text_gives_a_printable_question(text: str) -> None:
    for sentence in sentences(text):
        question, lead = as_question(sentence)
        left = strip(question, IDS).text
        assert left.isprintable()
        assert printable(lead) == lead
        assert {found.lint for found in lint_text(left)} & {"Q05"} == set()


@pytest.mark.parametrize(
    "part", ["a.", "/a", "a_", "1,", "a::", "H100 ", "attention ", "-", "{", "x@y.", "\x1b["]
)
def test_hostile_text_costs_no_time(part: str) -> None:
    start = time.monotonic()
    text = "How many " + part * (1_000_000 // len(part)) + "?"
    for sentence in sentences(text)[:8]:
        strip(as_question(sentence)[0], IDS)
    assert time.monotonic() - start < 5


def test_sentences_and_leads() -> None:
    assert sentences("No. Which v1.2 is it?\nAnd why?") == ["No.", "Which v1.2 is it?", "And why?"]
    assert as_question("OK, but before you go on: how far??") == ("How far?", "OK, but before you go on:")
    assert as_question("And {arch}, why？") == ("Arch, why?", "And")
    assert as_question("so?") == ("So?", "")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("it takes 2-5 us a call, 3 %", ("time", "us")),
        ("2.5 µs", ("time", "us")),
        ("0.44x again", ("ratio", "ratio")),
        ("52 of 58", ("count", "count")),
        ("90.3 % of peak", ("share", "percent")),
        ("about 1,200 GB/s", ("rate", "GB/s")),
        ("hd128 and the first 3 rows", None),
    ],
)
def test_kinds_of_figures(text: str, kind: tuple[str, str] | None) -> None:
    assert figure_kind(text) == kind
