"""Banks made up for the tests of the browser, and its screens opened on them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from bank.bank import Bank
from bank.effects.record import Record
from bank.effects.store import Block, Source, merge_into
from bank.question import Question, text_hash
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.bank_browse import browse_app
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.glyphs import UNICODE, Glyphs
from kernelseek_tui.app.prompt import Prompt
from tests.bank.builders import entry

LAUNCH = entry(
    id="kq-host-901",
    question="How long does one launch take on the host?",
    related=[{"id": "kq-build-901", "type": "similar"}],
    sources=[
        {"ref": "some/project#12", "lesson": "occupancy was not the cause", "seen": "2026-11-29"},
        {"ref": "https://example.org/notes", "lesson": "a hole before each step", "seen": "2026-11-28"},
    ],
)
SPILL = entry(
    id="kq-build-901",
    group="resources-and-generated-code",
    question="How many values does the compiler keep in memory on {arch}?",
    params=["arch"],
    decision_kinds=["claimed_limit"],
    moves={"from": "kernel", "to": "build"},
    refuses_closure=True,
)
SLOW = entry(
    id="kq-limits-901",
    group="limits-hypotheses-and-process",
    question="What do {scenarios} have in common, as a share of the time lost?",
    params=["scenarios"],
    decision_kinds=["scope", "plateau"],
    moves={"from": "kernel", "to": "routing"},
    provenance={"kind": "promoted", "date": "2026-11-30", "author": "A. Tester", "ai_assisted": True},
)
OLD = entry(
    id="kq-host-909",
    status="deprecated",
    question="How long does a launch take?",
    related=[{"id": "kq-host-901", "type": "obsolete"}],
)
WARP = entry(
    id="kq-hopper-901",
    group="resources-and-generated-code",
    question="How many warps of this Hopper part stall on a barrier?",
    decision_kinds=["plateau"],
    architectures=["hopper"],
    moves={"from": "kernel", "to": "memory"},
)
THEIRS = entry(
    id="kq-upstream-901",
    group="bounds-and-differencing",
    question="Which counter differs most from the other implementation's, and by what factor?",
    decision_kinds=["explained_anomaly"],
    needs_upstream=True,
    moves={"from": "kernel", "to": "memory"},
)
ENTRIES = (LAUNCH, SPILL, SLOW, THEIRS, WARP)
"""In the order of the bank's pages."""


def many(count: int) -> Bank:
    """A bank of so many entries, numbered from 0."""
    names = [
        f"kq-{''.join(chr(97 + int(digit)) for digit in f'{n:03d}')}-{n % 1000:03d}" for n in range(count)
    ]
    return Bank(
        tuple(
            entry(id=name, question=f"What is the number {n} of the kernel?") for n, name in enumerate(names)
        )
    )


def asked(one: Question, session: str, *, outcome: dict[str, Any] | None = None, **more: Any) -> Record:
    given: dict[str, Any] = {
        "what": "asked",
        "session": session,
        "event": "e1",
        "index": 5,
        "kind": "plateau",
        "entry": one.id,
        "group": one.group.value,
        "wording": text_hash(one.question),
        "outcome": outcome or {},
    }
    return Record.model_validate(given | more)


def keep(home: Path, *records: Record) -> None:
    """Put records where this machine keeps them."""
    source = Source("/a/journal", 1, 1, "0", True)
    merge_into(home / "bank" / "effects.jsonl", [Block(source, records)])


def bank_app(entries: Sequence[Question] = ENTRIES, glyphs: Glyphs = UNICODE) -> KernelSeekApp:
    return browse_app(Bank(tuple(entries)), glyphs)


def browser(pilot: Pilot[Any]) -> BankScreen:
    screen = pilot.app.screen
    assert isinstance(screen, BankScreen)
    return screen


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until what is known was read, and what was typed was searched."""
    for _ in range(500):
        await pilot.pause()
        screen = pilot.app.screen
        busy = False
        if isinstance(screen, BankScreen):
            prompt = screen.query_one(Prompt)
            typing = prompt.display and prompt.value != screen.text
            busy = typing or screen._due is not None or not screen.known.read
        if not busy and all(worker.is_finished for worker in pilot.app.workers):
            break
        await asyncio.sleep(0.01)
    await pilot.pause()


def ids(pilot: Pilot[Any]) -> list[str]:
    """The entries that are shown."""
    screen = browser(pilot)
    return [screen.bank.entries[place].id for place in screen.shown.places]


def selected(pilot: Pilot[Any]) -> str:
    screen = browser(pilot)
    place = screen.shown.selected
    assert place is not None
    return screen.bank.entries[place].id
