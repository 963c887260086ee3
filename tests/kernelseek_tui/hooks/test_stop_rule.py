"""The pure rule: what a stop is answered, and that it never loops for ever."""

from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.hooks.stop import MAX_BROKEN, MAX_IDLE, MAX_UNCHANGED, Chain, Ruling, Standing, rule

UNMET = Standing("unmet", "faster: 2 of 4", "sha eval")
UNKNOWN = Standing("unknown", "The manifest is gone.")


def stops(*answers: tuple[Standing, bool, bool]) -> list[Ruling]:
    chain, rulings = Chain(), []
    for standing, continued, worked in answers:
        ruling = rule(standing, chain, continued=continued, worked=worked)
        chain = ruling.chain
        rulings.append(ruling)
    return rulings


def test_an_unmet_goal_blocks_with_its_words_and_a_met_one_lets_go() -> None:
    first, second = stops((UNMET, False, False), (Standing("met"), True, True))
    assert (first.block, first.words) == (True, UNMET.words)
    assert (second.block, second.event, second.chain) == (False, "", Chain())


def test_stop_hook_active_does_not_let_an_unmet_goal_go() -> None:
    assert all(one.block for one in stops(*[(UNMET, True, True)] * MAX_UNCHANGED))


def test_refusals_without_a_tool_call_end_aloud() -> None:
    rulings = stops((UNMET, False, False), *[(UNMET, True, False)] * (MAX_IDLE + 1))
    assert [one.block for one in rulings] == [True] * MAX_IDLE + [False, False]
    assert rulings[-2].event == "let_go"
    assert "not met" in rulings[-2].aloud


def test_a_tool_call_or_a_new_turn_starts_the_count_again() -> None:
    tired = [(UNMET, True, False)] * (MAX_IDLE + 1)
    assert not stops(*tired)[-1].block
    assert stops(*tired, (UNMET, True, True))[-1].block
    assert stops(*tired, (UNMET, False, False))[-1].block


def test_a_broken_judge_blocks_twice_then_lets_go_as_unknown() -> None:
    rulings = stops(*[(UNKNOWN, False, True)] * 4)
    assert [one.block for one in rulings] == [True] * MAX_BROKEN + [False, False]
    assert {one.event for one in rulings[MAX_BROKEN:]} == {"goal_unknown"}
    assert "The manifest is gone." in rulings[-1].aloud


def test_a_judge_that_is_well_again_is_trusted_with_two_more() -> None:
    rulings = stops(*[(UNKNOWN, True, True)] * 3, (UNMET, True, True), (UNKNOWN, True, True))
    assert [one.block for one in rulings] == [True, True, False, True, True]


@given(st.lists(st.booleans(), max_size=150))
def test_a_turn_is_never_refused_for_ever(steps: list[bool]) -> None:
    """However the agent alternates idle stops and pointless tool calls, it is let go in the end."""
    rulings = stops(*[(Standing("unmet", "no", "same"), True, worked) for worked in steps])
    in_a_row = 0
    for ruling in rulings:
        in_a_row = in_a_row + 1 if ruling.block else 0
        assert in_a_row <= MAX_UNCHANGED
        assert ruling.block or (ruling.event == "let_go" and ruling.aloud)
