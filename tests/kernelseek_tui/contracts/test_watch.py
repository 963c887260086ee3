"""Contracts in a live session: told once, when the agent has had its chance, and in the journal."""

from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.cli.contract_text import contract_lines
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.none import Nobody
from sessions import events as ev
from sessions.journal import Journal
from sessions.state import fold
from sessions.transcript import open_transcript

CLAIM = "We have reached the hardware limit; no further improvement is possible."


def test_a_live_session_notes_each_breach_once(tmp_path: Path) -> None:
    bank = Bank.load()
    pilot = Copilot(Journal(tmp_path), Seer(bank), Nobody(), bank.version)
    for event in (
        ev.AgentText(id="t1", text=CLAIM),
        ev.TurnEnded(id="t2"),
        ev.AgentText(id="t3", text=CLAIM),
        ev.TurnEnded(id="t4"),
        ev.Subagent(id="a1", subagent="sub", phase="started", description="Try [b]it[/b]"),
        ev.AgentText(id="a2", text="Memory bound.", agent="sub"),
        ev.Subagent(id="a3", subagent="sub", phase="ended"),
        ev.TurnEnded(id="t5"),
    ):
        pilot.take(event)
    pilot.journal.close()
    events = open_transcript(pilot.journal.path).events
    notes = [event for event in events if isinstance(event, ev.Note) and event.author == "contract"]
    assert [note.text.split(":")[0] for note in notes] == [
        "The limit “We have reached the hardware limit; no further improvement is possible.” is open",
        "Subagent “Try [b]it[/b]”",
    ]
    by_id = {event.id: event for event in events}
    first, second = (by_id[note.parent or ""] for note in notes)
    assert isinstance(first, ev.AgentText)
    assert first.text == CLAIM
    assert isinstance(second, ev.AgentText)
    assert second.agent == "sub"


def test_a_limit_that_fell_before_the_turn_ended_is_not_told(tmp_path: Path) -> None:
    bank = Bank.load()
    pilot = Copilot(Journal(tmp_path), Seer(bank), Nobody(), bank.version)
    for event in (
        ev.AgentText(id="t1", text=CLAIM),
        ev.AgentText(id="t2", text="I withdraw that claim."),
        ev.TurnEnded(id="t3"),
    ):
        pilot.take(event)
    pilot.journal.close()
    assert not any(isinstance(event, ev.Note) and event.author == "contract" for event in pilot.events)


def test_what_inspect_prints() -> None:
    state = fold(
        [
            ev.AgentText(id="l4", text=CLAIM),
            ev.Subagent(id="l5", subagent="sub", phase="started", description="Try\x1b[2J it"),
            ev.Subagent(id="l6", subagent="sub", phase="ended"),
        ]
    )
    lines = list(contract_lines(state, {"l4": 4, "l6": 6}))
    assert any(line.startswith("entry 4  open: no measurement") for line in lines)
    assert "entry 6  broken by Try␛[2J it: it returned no report" in lines
    assert list(contract_lines(fold([]), {})) == []
