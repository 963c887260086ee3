"""What the driver of Claude Code holds: `python benchmarks/owned_driver.py [--events N] [--rate PER_SECOND]`.

A stand-in for the client prints N numbered events (text, tool calls, results), each between partial ones, at
full speed or at `--rate`. Printed is what came: how many, lost, twice, out of order, the time from the line
to the event, and the memory. The reader keeps no event, so memory that grows is the driver's own: budget
4 MiB from the first tenth to the end, and with `--rate` 100 ms at the 95th percentile.

    python benchmarks/owned_driver.py                                72,000 events at full speed
    python benchmarks/owned_driver.py --rate 20 --events 12000       10 minutes at 20 a second
"""

import argparse
import asyncio
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from array import array
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.claude.process import MINIMUM
from kernelseek_tui.agents.protocol import AgentSpec
from sessions import events as ev

BUDGET_MIB = 4.0
BUDGET_MS = 100.0
PAGE = os.sysconf("SC_PAGE_SIZE")


def client(count: int, rate: float) -> None:
    """Play the client: one turn of `count` events."""
    if "--version" in sys.argv:
        print(".".join(map(str, MINIMUM)), "(Claude Code)")
        return
    message = json.loads(sys.stdin.readline())
    began = time.monotonic()

    def out(**entry: Any) -> None:
        sys.stdout.write(json.dumps({"session_id": "s", **entry}) + "\n")

    for state in ("queued", "started"):
        out(type="command_lifecycle", command_uuid=message["uuid"], state=state)
    out(type="system", subtype="init", model="m", claude_code_version="2")
    for index in range(count):
        if rate:
            sys.stdout.flush()
            time.sleep(max(0.0, began + index / rate - time.monotonic()))
        delta = {"type": "text_delta", "text": "word "}
        event = {"type": "content_block_delta", "index": 0, "delta": delta}
        out(type="stream_event", event=event, uuid=f"d{index}")
        mark = f"{index} {time.monotonic_ns()}"
        filler, reply = "the kernel stalls on memory " * 8, f"m{index // 3}"
        block: dict[str, Any]
        match index % 3:
            case 0:
                block = {"type": "text", "text": f"{mark} {filler}"}
            case 1:
                block = {"type": "tool_use", "id": f"c{index}", "name": "Bash", "input": {"command": mark}}
            case _:
                content = f"{mark} {filler * 4}"
                block = {"type": "tool_result", "tool_use_id": f"c{index - 1}", "content": content}
        kind = "user" if index % 3 == 2 else "assistant"
        usage = {"input_tokens": 10, "output_tokens": 1}
        said = {"id": reply, "role": kind, "content": [block], "usage": usage}
        out(type=kind, message=said, uuid=f"u{index}")
    out(type="result", subtype="success", is_error=False, terminal_reason="completed", total_cost_usd=1.0)
    sys.stdout.flush()
    sys.stdin.readline()


def resident() -> float:
    """MiB of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / (1 << 20)


def mark_of(event: ev.AnyEvent) -> str | None:
    """The number and time that the client put into an event."""
    match event:
        case ev.AgentText(text=text) | ev.ToolResult(output=text):
            return text
        case ev.ToolCall(input=given):
            return str(given["command"])
    return None


async def measure(count: int, rate: float) -> bool:
    """Read it all; whether everything came, once, in order and within the budgets."""
    with tempfile.TemporaryDirectory() as name:
        binary = Path(name) / "claude"
        options = f"--client --events {count} --rate {rate}"
        binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}" {options} "$@"\n')
        binary.chmod(0o755)
        agent = ClaudeAgent(binary, environment=dict(os.environ))
        partial = 0

        def grown(text: str) -> None:
            nonlocal partial
            partial += bool(text)

        agent.on_partial(grown)
        await agent.start(AgentSpec(Path(name), "go", {}))
        seen, twice, disorder, chars, total = bytearray(count), 0, 0, 0, 0
        latest, first_tenth, took = -1, 0.0, array("d")
        began = time.monotonic()
        async for event in agent.events():
            total += 1
            mark = mark_of(event)
            if mark is not None:
                number, then = map(int, mark.split(" ")[:2])
                took.append((time.monotonic_ns() - then) / 1e6)
                chars += len(mark)
                twice += seen[number]
                seen[number] = 1
                disorder += number < latest
                latest = max(latest, number)
                if number == count // 10:
                    first_tenth = resident()
            if isinstance(event, ev.TurnEnded):
                break
        seconds, grew = time.monotonic() - began, resident() - first_tenth
        await agent.close()
    lost = count - sum(seen)
    p95 = statistics.quantiles(took, n=20)[-1]
    print(f"events    {count - lost} of {count} numbered ones, {total} in all, in {seconds:.1f} s")
    print(f"lost      {lost}\ntwice     {twice}\ndisorder  {disorder}")
    print(f"partial   {partial} times text grew")
    print(f"text      {chars / (1 << 20):.1f} MiB went through, none of it kept")
    print(f"memory    {first_tenth:.1f} MiB at a tenth, {grew:+.1f} MiB from there (budget {BUDGET_MIB:.0f})")
    print(f"latency   median {statistics.median(took):.1f} ms, p95 {p95:.1f} ms, worst {max(took):.1f} ms")
    if not rate:
        print("          (at full speed this is the time spent waiting in the queue)")
    slow = bool(rate) and p95 > BUDGET_MS
    return not (lost or twice or disorder or slow) and grew <= BUDGET_MIB


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=72_000)
    parser.add_argument("--rate", type=float, default=0.0, help="events a second; 0: as fast as it goes")
    parser.add_argument("--client", action="store_true", help=argparse.SUPPRESS)
    options, _ = parser.parse_known_args()
    if options.client:
        client(options.events, options.rate)
    elif not asyncio.run(measure(options.events, options.rate)):
        sys.exit("over budget, or not everything came")


if __name__ == "__main__":
    main()
