import pytest

from bank.bank import Bank
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.agents.rehearsal.words import Words, bears, found_in, word_counts

LISTS = load_script(DEFAULT).loss_words

HOST = (
    "hardware or our design? where does time go outside the kernel?",
    "Is it the kernel or what happens around the kernel?",
    "How many µs of a call pass before the arithmetic starts?",
    "How much of each call is overhead?",
    "What does the host do?",
    "Do you allocate anything per call?",
    "As the problem shrinks, what time is left?",
)
ROUTING = (
    "what configs bring the geomean down, and which path do they take?",
    "Which scenarios lag behind?",
    "Is there a fallback somewhere?",
    "Do all families run the same code?",
    "Which scenarios sit below the target?",
    "How does it dispatch?",
)
NEITHER = (
    "Continue.",
    "Are you sure?",
    "Make it faster.",
    "Is the limit real?",
    "How many bytes cross the slowest memory level per call?",
    "Unroll the inner loop.",
    "ghost hostile routine",  # parts of words are not words
    "",
)


@pytest.mark.parametrize("text", HOST)
def test_questions_about_the_host(text):
    assert bears(text, LISTS["host"])
    assert not bears(text, LISTS["routing"])


@pytest.mark.parametrize("text", ROUTING)
def test_questions_about_routing(text):
    assert bears(text, LISTS["routing"])
    assert not bears(text, LISTS["host"])


@pytest.mark.parametrize("text", NEITHER)
def test_other_messages(text):
    assert not bears(text, LISTS["host"])
    assert not bears(text, LISTS["routing"])


def test_one_strong_phrase_or_two_weak_ones_apart():
    words = Words(strong=("launch path",), weak=("idle", "worst scenario*", "worst scenarios", "per call"))
    assert bears("the LAUNCH-path?", words)
    assert not bears("the launch of the path", words)
    assert not bears("idle, idle", words)
    assert bears("idle per\ncall", words)
    # Two phrases for the same words are one hint.
    assert found_in("the worst scenarios", words) == ((), ("worst scenario*",))
    assert not bears("the worst scenarios", words)


@pytest.mark.parametrize("phrase", ["Host", "two  spaces", "*", "a-b", ""])
def test_a_phrase_that_could_never_match_is_refused(phrase):
    with pytest.raises(ValueError, match="not a phrase"):
        Words(strong=(phrase,))


def test_at_most_a_third_of_the_bank_satisfies_a_word_list(capsys):
    questions = {entry.id: entry.question for entry in Bank.load().entries}
    counts = word_counts(LISTS, questions)
    with capsys.disabled():
        for name, ids in counts.items():
            print(
                f"\n{name}: {len(ids)} of {len(questions)} bank entries bear on it: {', '.join(ids)}", end=""
            )
    assert set(counts) == {"host", "routing"}
    for ids in counts.values():
        assert 2 <= len(ids) <= len(questions) / 3
