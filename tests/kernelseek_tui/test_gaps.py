"""Gap classes come from the workspace's file into the journal: what stood there, and what is added."""

import asyncio
from pathlib import Path

from harness.gaps import add_gap
from kernelseek_tui.gaps import GapWatch, known_gaps
from sessions import events as ev
from sessions.state import fold
from sessions.vocabulary import GapClass
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace
from tests.made_records import CANDIDATE, SCENARIOS

IDS = tuple(scenario.id for scenario in SCENARIOS)


async def watched(made: MadeWorkspace, wanted: int) -> list[ev.GapClassified]:
    """What the watch takes, until there are so many; after the first of them one more is added."""
    taken: list[ev.GapClassified] = []
    enough = asyncio.Event()

    async def take(event: ev.AnyEvent) -> None:
        assert isinstance(event, ev.GapClassified)
        taken.append(event)
        if len(taken) == 1:
            add_gap(made.workspace.gaps, IDS[3:], "host", "9 us of 10 \x1b[2J[bold]", CANDIDATE)
        if len(taken) >= wanted:
            enough.set()

    task = asyncio.create_task(GapWatch(made.workspace).serve(take))
    await asyncio.wait_for(enough.wait(), 20)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return taken


def test_what_still_holds_is_taken_and_then_what_is_added(tmp_path: Path) -> None:
    made = MadeWorkspace(tmp_path)
    add_gap(made.workspace.gaps, IDS[:1], "host", "1 us: said otherwise below", CANDIDATE)
    add_gap(made.workspace.gaps, IDS[:2], "kernel", "12 % of the bound", CANDIDATE)
    taken = asyncio.run(watched(made, 2))
    assert [(one.scenarios, one.gap) for one in taken] == [
        (IDS[:2], GapClass.KERNEL),
        (IDS[3:], GapClass.HOST),
    ]
    assert taken[0].measured == "12 % of the bound"
    assert all(one.time is not None for one in taken)
    state = fold(taken)
    assert state.gaps == {IDS[0]: GapClass.KERNEL, IDS[1]: GapClass.KERNEL, IDS[3]: GapClass.HOST}
    assert {one: entry.gap for one, entry in known_gaps(made.workspace).items()} == {
        one: gap.value for one, gap in state.gaps.items()
    }
