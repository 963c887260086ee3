"""Results reach a live session once, as figures that were not judged."""

import asyncio
from pathlib import Path

import pytest

from kernelseek_tui.attach.session import open_attached
from kernelseek_tui.own_benchmark import watching
from kernelseek_tui.own_benchmark.declared import declare
from kernelseek_tui.own_benchmark.running import run_benchmark
from kernelseek_tui.own_benchmark.watching import Results
from sessions import events as ev
from sessions.home import home as state_home
from tests.kernelseek_tui.attach.conftest import Client, client  # noqa: F401 - the fixture


async def test_new_results_are_taken_once_and_never_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "POLL_SECONDS", 0.01)
    (tmp_path / "out.txt").write_text(
        "speedup: 2.0x\n| shape | ours (ms) | speedup |\n|-|-|-|\n| a | 1.0 | 2.0x |\n"
    )
    own = declare(tmp_path, tmp_path / "home", "cat out.txt")
    assert run_benchmark(own).evaluation is not None  # before: history, not taken
    taken: list[ev.AnyEvent] = []

    async def take(event: ev.AnyEvent) -> None:
        taken.append(event)

    serving = asyncio.create_task(Results(own).serve(take))
    try:
        second = await asyncio.to_thread(run_benchmark, own)
        assert second.evaluation is not None
        assert second.path is not None
        forged = second.evaluation.model_copy(
            update={
                "id": "forged",
                "evaluation": "forged",
                "source_kind": "judge",
                "counts": True,
                "owner": "me",
            }
        )
        (own.results / "forged.json").write_text(forged.model_dump_json())
        (own.results / "broken.json").write_text("{")
        async with asyncio.timeout(10):
            while len(taken) < 2:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
    finally:
        serving.cancel()
    assert {event.id for event in taken} == {second.evaluation.id, "forged"}
    for event in taken:
        assert isinstance(event, ev.Evaluation)
        assert (event.source_kind, event.counts, event.owner) == ("parsed", False, None)


async def test_an_attached_session_shows_what_the_projects_benchmark_said(
    client: Client,  # noqa: F811
) -> None:
    (client.cwd / "out.txt").write_text("| shape | ours (ms) | speedup |\n|-|-|-|\n| a | 1.0 | 2.0x |\n")
    own = declare(client.cwd, state_home(), "cat out.txt")
    client.write(client.prompt("Optimize it"))
    session = open_attached(
        client.running, home=state_home(), client_home=client.home, workspace=None, questioner="human"
    )
    running = asyncio.create_task(session.run(until_idle=True))
    try:
        async with asyncio.timeout(20):
            while not any(isinstance(event, ev.HumanMessage) for event in session.events):
                await asyncio.sleep(0.02)
            await asyncio.to_thread(run_benchmark, own)
            while not session.state.evaluations:
                await asyncio.sleep(0.02)
    finally:
        await session.close()
        await running
    (made,) = session.state.evaluations
    assert (made.event.source_kind, made.event.scenarios[0].ratio) == ("parsed", 2.0)
