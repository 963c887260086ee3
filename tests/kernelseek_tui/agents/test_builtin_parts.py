"""The pure parts of the built-in agent: prices, permissions, the conversation; what importing it loads."""

import subprocess
import sys

import pytest

from kernelseek_tui.agents.builtin.agent import DEFAULT_MODEL, BuiltinAgent
from kernelseek_tui.agents.builtin.budget import Budget, Tokens, load_prices
from kernelseek_tui.agents.builtin.conversation import CLEARED, Conversation
from kernelseek_tui.agents.builtin.permissions import Permissions, pattern
from kernelseek_tui.agents.builtin.prompt import system_prompt
from kernelseek_tui.agents.money import dollars
from kernelseek_tui.agents.protocol import Agent, AsksPermission, ShowsPartialText
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent


def test_importing_the_driver_loads_no_sdk():
    code = (
        "import sys, kernelseek_tui.agents.builtin.agent; "
        "sys.exit(', '.join(sorted({'anthropic', 'httpx2', 'torch'} & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_driver_offers_what_it_says():
    agent: Agent = BuiltinAgent()
    assert isinstance(agent, AsksPermission)
    assert isinstance(agent, ShowsPartialText)
    assert not isinstance(RehearsalAgent(), AsksPermission)
    assert agent.capabilities.permissions
    assert not agent.capabilities.resume


def test_the_prompt_names_the_workspace_and_the_candidate():
    told = system_prompt("/w", "kernel.cu")
    assert "/w" in told
    assert "`kernel.cu`" in told
    assert len(told) < 2000


# Prices.


def test_the_default_model_has_a_price_and_a_dated_name_is_the_same_model():
    prices = load_prices()
    assert prices.find(DEFAULT_MODEL) is not None
    assert prices.find("claude-opus-4-5-20251101") == prices.find("claude-opus-4-5")
    assert prices.find("claude-opus-4-5-large") is None
    assert prices.source.startswith("https://")


def test_a_cost_is_the_sum_over_the_four_kinds_of_token():
    budget = Budget("claude-sonnet-4-6")
    million = Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000)
    assert budget.count(million) == pytest.approx(3.0 + 15.0 + 0.3 + 3.75)
    assert budget.spent_tokens == 4_000_000


def test_long_prompts_have_prices_of_their_own_where_the_list_says_so():
    price = load_prices().find("claude-haiku-5-5")
    assert price is not None
    assert price.of(Tokens(given=100_000)) == pytest.approx(0.01)
    assert price.of(Tokens(given=1, cache_read=100_000, made=1000)) == pytest.approx(
        (1 * 0.5 + 100_000 * 0.05 + 1000 * 2.5) / 1e6
    )


def test_budgets_halt_at_their_ceiling_and_not_before():
    budget = Budget("claude-sonnet-4-6", dollars=0.02, tokens=10_000)
    budget.count(Tokens(made=1000))
    assert budget.halt() is None
    budget.count(Tokens(made=400))
    assert "spend ceiling" in (budget.halt() or "")
    tokens = Budget("claude-sonnet-4-6", tokens=10_000)
    tokens.count(Tokens(cache_read=9_999))
    assert tokens.halt() is None
    tokens.count(Tokens(given=1))
    assert "10,000 of 10,000 tokens" in (tokens.halt() or "")


@pytest.mark.parametrize(
    ("amount", "words"),
    [(0, "$0.00"), (0.0042, "$0.0042"), (0.000_000_3, "$0.0000003"), (0.05, "$0.05"), (12.5, "$12.50")],
)
def test_small_money_is_told_from_nothing(amount, words):
    assert dollars(amount) == words


def test_an_unknown_price_is_unknown_and_only_worth_a_warning_with_a_ceiling():
    assert Budget("mystery").warning() is None
    assert Budget(DEFAULT_MODEL, dollars=1).warning() is None
    budget = Budget("mystery", dollars=1)
    assert "cannot be kept" in (budget.warning() or "")
    assert budget.count(Tokens(made=10)) is None
    assert budget.halt() is None


# Permissions.


@pytest.mark.parametrize(
    ("command", "covers"),
    [
        ("kernelseek evaluate", ("kernelseek evaluate",)),
        ("kernelseek evaluate --set smoke 2>&1 | tail -5", ("kernelseek evaluate", "tail")),
        ("cat TASK.md && grep -n 'a b' candidate.cpp 2>/dev/null", ("cat", "grep")),
        ("cat a; cat b", ("cat",)),
        ("cat ~/.ssh/id_rsa", None),
        ("cat /etc/passwd", None),
        ("grep --file=/etc/passwd x", None),
        ("grep -f/etc/passwd x", None),
        ("grep -cE 'a|b (c)$' x", ("grep",)),
        ("ls |& sh x", None),
        ("echo 'a' \"$HOME\"", None),
        ('echo "it\'s $(touch x)"', None),
        ("cat ../other", None),
        ("cat a/../../b", None),
        ("cat $HOME/x", None),
        ("cat $(touch x)", None),
        ("cat `touch x`", None),
        ("cat a > b", None),
        ("cat a\ntouch b", None),
        ("cat a & touch b", None),
        ("cat 'a", None),
        ("X=1 cat a", None),
        ("./cat a", None),
        ("kernelseek steer", None),
        ("kernelseek", None),
        ("rm -rf build", None),
        ("python bench.py", None),
        ("", None),
    ],
)
def test_always_covers_other_arguments_only_of_what_reads(command, covers):
    assert pattern(command) == covers


def test_what_was_allowed_for_good_is_not_asked_again():
    allowed = Permissions()
    one, other = {"command": "kernelseek evaluate"}, {"command": "kernelseek evaluate --set smoke"}
    assert allowed.needed("bash", one)
    assert allowed.always("bash", one) == "in the workspace `kernelseek evaluate …`"
    assert not allowed.needed("bash", other)
    assert allowed.needed("bash", {"command": "kernelseek evaluate; rm x"})
    assert allowed.needed("bash", {"command": "kernelseek evaluate | tail"})


def test_looking_needs_no_word_and_neither_does_anything_when_nobody_is_to_be_asked():
    assert not Permissions().needed("str_replace_based_edit_tool", {"command": "view"}, "a")
    assert Permissions().needed("str_replace_based_edit_tool", {"command": "create"}, "a")
    assert not Permissions(ask=False).needed("bash", {"command": "rm x"})


# The conversation.


def call(number: int) -> dict[str, object]:
    return {"type": "tool_use", "id": f"t{number}", "name": "bash", "input": {}}


def test_roles_alternate_and_results_come_before_words():
    talk = Conversation()
    talk.say("One.")
    talk.say("Two.")
    talk.reply([{"type": "text", "text": "Yes."}, call(1)])
    talk.result("t1", "", False)
    talk.say("Three.")
    assert [message["role"] for message in talk.messages] == ["user", "assistant", "user"]
    result, words = talk.messages[-1]["content"]
    assert (result["type"], result["content"]) == ("tool_result", "(no output)")
    assert words["text"] == "Three."


def test_a_request_marks_its_newest_block_and_leaves_the_conversation_as_it_is():
    talk = Conversation()
    talk.say("One.")
    talk.say("Two.")
    marked = talk.request()[-1]["content"]
    assert ["cache_control" in block for block in marked] == [False, True]
    assert not any("cache_control" in block for block in talk.messages[-1]["content"])


def test_what_the_api_would_not_take_back_is_left_out():
    talk = Conversation()
    talk.say("One.")
    talk.say("  ")
    talk.reply([{"type": "text", "text": "\n"}])
    talk.reply([{"type": "thinking", "thinking": "Hm.", "signature": "s"}])
    assert talk.messages == [{"role": "user", "content": [{"type": "text", "text": "One."}]}]


def test_only_a_persons_words_are_taken_back():
    talk = Conversation()
    talk.say("One.")
    talk.take_back()
    assert talk.messages == []
    talk.reply([call(1)])
    talk.result("t1", "x", True)
    talk.say("Two.")
    talk.take_back()
    assert len(talk.messages) == 2


def test_clearing_keeps_the_newest_results_and_drops_the_thoughts_before_them():
    talk = Conversation()
    talk.say("Go.")
    for number in range(4):
        talk.reply([{"type": "thinking", "thinking": "Hm.", "signature": "s"}, call(number)])
        talk.result(f"t{number}", f"words {number}", False)
    assert talk.clear_results(keep=3) == 1
    assert talk.clear_results(keep=3) == 0
    assert talk.clear_results(keep=9) == 0
    blocks = [block for message in talk.messages for block in message["content"]]
    assert [block["content"] for block in blocks if block["type"] == "tool_result"] == [
        CLEARED,
        *(f"words {number}" for number in (1, 2, 3)),
    ]
    assert not any(block["type"] == "thinking" for block in blocks)
