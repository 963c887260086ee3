"""A rehearsed agent that puts the bank to itself gets to the goal; judge and compiler are stand-ins."""

import re

import pytest

from bank.bank import Bank
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.itself import ItSelf
from kernelseek_tui.questioners.protocol import Ask
from sessions import events as ev

# The ratios behind the stand-in judge's geometric means: two scenarios lag until both losses are fixed.
RATIOS = {
    "1.001": (1.0, 1.0, 1.0, 1.0),
    "2.113": (6.9, 6.8, 0.65, 0.65),
    "1.742": (0.9, 0.9, 3.3, 3.4),
    "5.208": (5.2, 5.2, 5.2, 5.2),
}


def judged(event: ev.AnyEvent, number: int) -> list[ev.AnyEvent]:
    """What the session's owner would have put into the journal for a call of the judge."""
    if not isinstance(event, ev.ToolResult) or not (mean := re.search(r"geomean (\S+)x \(", event.output)):
        return []
    value, ratios = float(mean.group(1)), RATIOS[mean.group(1)]
    rows = tuple(
        ev.ScenarioResult(id=f"s{place}", status="CORRECT", ratio=ratio, low=ratio * 0.99, high=ratio * 1.01)
        for place, ratio in enumerate(ratios)
    )
    name, met = f"judged{number}", min(ratios) > 1.8
    evaluation = ev.Evaluation(
        id=name,
        evaluation=name,
        counts=True,
        status="CORRECT",
        geomean=value,
        low=value * 0.99,
        high=value * 1.01,
        scenarios=rows,
        correct=4,
        total=4,
    )
    verdict = ev.GoalVerdict(id=f"goal{number}", met=met, unmet=() if met else ("faster",), evaluation=name)
    return [evaluation, verdict]


@pytest.mark.parametrize("seed", [0, 1])
async def test_the_agents_own_questions_lead_it_to_the_other_loss(stage, seed):
    one = await stage(seed)
    bank = Bank.load()
    seer, questioner = Seer(bank), ItSelf(bank)
    waiting: list[str] = []
    seen, asked, over = 0, 0, False
    while not over:
        await one.until(lambda events, seen=seen: len(events) > seen)
        event = one.events[seen]
        seen += 1
        if isinstance(event, ev.HumanMessage) and event.text in waiting:
            waiting.remove(event.text)  # the echo of what we sent
        # The judge's word is in the journal before the agent reads it.
        for moment in [moment for part in (*judged(event, seen), event) for moment in seer.see(part)]:
            move = questioner.decide(seer.state, moment.decision, moment.suggestions)
            if isinstance(move, Ask):
                asked += 1
                seer.see(ev.QuestionAsked(id=f"q{asked}", questioner="self", text=move.text))
                waiting.append(move.text)
                await one.agent.send(move.text)
        over = isinstance(event, ev.TurnEnded) and not waiting
    assert asked
    assert one.fixed == (True, True)
    assert "5.208x" in one.texts
