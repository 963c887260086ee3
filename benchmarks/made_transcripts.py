"""Long transcripts made from nothing that look like real ones: `write(shape, path, size)`.

Three shapes. `claude`: rows of Claude Code, results of a few KB that stand twice as the client writes them,
one in fifty of about 100 KB. `codex`: a rollout with its reasoning encrypted. `small`: Claude Code again,
rows of a few hundred bytes. The proportions are those of recorded sessions that tuned kernels.
"""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 1, 1, tzinfo=UTC)
SESSION = "0b0e1d5c-0000-4000-8000-000000000000"
THREAD = "019b0000-0000-7000-8000-00000000000a"
WORDS = [
    "the",
    "kernel",
    "stalls",
    "on",
    "memory",
    "so",
    "each",
    "warp",
    "waits",
    "for",
    "loads",
    "while",
    "registers",
    "spill",
    "and",
    "shared",
    "tiles",
    "of",
    "the",
    "next",
    "stage",
    "arrive",
    "late",
    "which",
    "means",
    "that",
    "occupancy",
    "alone",
    "does",
    "not",
    "help",
    "until",
    "the",
    "epilogue",
    "is",
    "split",
]
NAMES = "acc tile smem row col lane warp stage scale bias gate frag mask pipe ldm coords".split()  # noqa: SIM905

Row = dict[str, Any]


class _Made:
    """Texts of a session. Drawn from pools, so that a gigabyte takes seconds; a number makes each its own."""

    def __init__(self) -> None:
        self.draw = random.Random(7)
        self._prose = [self._sentences() for _ in range(300)]
        self._source = [self._function() for _ in range(300)]

    def _sentences(self) -> str:
        several = (" ".join(self.draw.choices(WORDS, k=self.draw.randint(8, 22))) for _ in range(6))
        return ". ".join(one.capitalize() for one in several) + "."

    def _function(self) -> str:
        return "\n".join(
            f"    {one}[{self.draw.randint(0, 63)}] = fma({two}, {three}, {one}[{at}]);"
            for at in range(24)
            for one, two, three in [self.draw.choices(NAMES, k=3)]
        )

    def prose(self, paragraphs: int = 1) -> str:
        return "\n\n".join(self.draw.choices(self._prose, k=paragraphs))

    def source(self, functions: int) -> str:
        return "\n".join(
            f"__device__ void f{self.draw.randint(0, 9999)}() {{\n{body}\n}}"
            for body in self.draw.choices(self._source, k=functions)
        )

    def numbered(self, functions: int) -> str:
        return "\n".join(f"{at:6d}\t{line}" for at, line in enumerate(self.source(functions).split("\n"), 1))

    def scores(self, rows: int) -> str:
        lines = ["scenario            baseline us   candidate us   speedup   status"]
        for at in range(rows):
            slow, fast = self.draw.uniform(20, 400), self.draw.uniform(18, 380)
            lines.append(f"decode_b{at:<4}        {slow:10.2f}   {fast:10.2f}   {slow / fast:6.3f}x   PASS")
        return "\n".join([*lines, f"geomean speedup: {self.draw.uniform(0.9, 1.9):.3f}x", f"{rows} passed"])

    def profile(self, metrics: int) -> str:
        return "\n".join(
            f"    {'_'.join(self.draw.choices(NAMES, k=3))}.avg.pct_of_peak {self.draw.uniform(0, 99):9.2f} %"
            for _ in range(metrics)
        )


def _step(made: _Made, number: int) -> tuple[str, dict[str, Any], str]:
    """What one call of a session is: the tool, its input, what it prints."""
    draw = made.draw
    if number % 50 == 49:
        return "Bash", {"command": f"ncu --set full ./bench {number}"}, made.profile(1_600)
    kind = draw.random()
    if kind < 0.3:
        return "Read", {"file_path": f"/w/src/part{number % 40}.cu"}, made.numbered(draw.randint(2, 8))
    if kind < 0.55:
        given = {"file_path": "/w/kernel.cu", "old_string": made.source(1), "new_string": made.source(1)}
        return "Edit", given, "The file /w/kernel.cu has been updated.\n" + made.numbered(1)
    if kind < 0.75:
        return "Bash", {"command": f"python bench.py --run {number}"}, made.scores(draw.randint(8, 40))
    if kind < 0.9:
        return "Bash", {"command": "make -j8 2>&1 | tail -60"}, made.source(draw.randint(1, 3))
    return "Grep", {"pattern": draw.choice(NAMES), "path": "/w/src"}, made.numbered(draw.randint(1, 4))


def _said(made: _Made, number: int) -> str:
    if number % 400 == 399:
        return f"{made.prose()} This is the hardware limit for run {number}."
    return f"Run {number}: {made.prose()}"


def claude(made: _Made) -> Iterator[Row]:
    """Rows of Claude Code."""
    number = 0

    def row(type_: str, **fields: Any) -> Row:
        nonlocal number
        number += 1
        time = (START + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        about = {"isSidechain": False, "userType": "external", "cwd": "/w", "version": "2.1.332"}
        ids = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}", "sessionId": SESSION}
        return {**about, **ids, "type": type_, "timestamp": time, **fields}

    def reply(step: int, block: Row) -> Row:
        usage = {"input_tokens": 3, "output_tokens": 210, "cache_read_input_tokens": 48_000 + step}
        body = {"role": "assistant", "id": f"msg_{step}", "model": "m", "content": [block], "usage": usage}
        return row("assistant", message=body, requestId=f"req_{step}")

    yield row("user", message={"role": "user", "content": "Make the decode kernel faster on this device."})
    step = 0
    while True:
        if step % 300 == 299:
            yield row("user", message={"role": "user", "content": f"Go on. {made.prose()}"})
        if step % 3 == 0:
            signed = f"{made.draw.getrandbits(4_000):x}"
            thought = {
                "type": "thinking",
                "thinking": made.prose(made.draw.randint(1, 6)),
                "signature": signed,
            }
            yield reply(step, thought)
        yield reply(step, {"type": "text", "text": _said(made, step)})
        tool, given, output = _step(made, step)
        yield reply(step, {"type": "tool_use", "id": f"toolu_{step}", "name": tool, "input": given})
        block = {"type": "tool_result", "tool_use_id": f"toolu_{step}", "content": output}
        structured: Row = {"stdout": output, "stderr": "", "interrupted": False}
        if tool == "Edit":
            patch = [f"-{line}" for line in given["old_string"].split("\n")]
            patch += [f"+{line}" for line in given["new_string"].split("\n")]
            hunk = {"oldStart": 1, "oldLines": 27, "newStart": 1, "newLines": 27, "lines": patch}
            structured = {
                "filePath": "/w/kernel.cu",
                "originalFile": made.source(4),
                "structuredPatch": [hunk],
            }
        yield row("user", message={"role": "user", "content": [block]}, toolUseResult=structured)
        step += 1


def small(made: _Made) -> Iterator[Row]:
    """Rows of Claude Code, short ones."""
    number = 0

    def row(type_: str, content: Any, **body: Any) -> Row:
        nonlocal number
        number += 1
        ids = {"uuid": f"u{number}", "sessionId": SESSION, "timestamp": "2026-01-01T00:00:00.000Z"}
        role = {"role": type_, "content": content}
        return {"type": type_, **ids, "message": {**role, **body}}

    yield row("user", "Make the decode kernel faster on this device.")
    step = 0
    while True:
        name = f"toolu_{step}"
        words = f"Run {step}: {' '.join(made.draw.choices(WORDS, k=8))}."
        yield row("assistant", [{"type": "text", "text": words}], id=f"msg_{step}")
        given = {"command": f"python bench.py --run {step}" if step % 5 == 0 else f"sed -n {step}p k.cu"}
        call = {"type": "tool_use", "id": name, "name": "Bash", "input": given}
        yield row("assistant", [call], id=f"msg_{step}")
        printed = f"{made.draw.uniform(9, 99):.2f} us" if step % 5 == 0 else "acc = fma(a, b, acc);"
        yield row("user", [{"type": "tool_result", "tool_use_id": name, "content": printed}])
        step += 1


def codex(made: _Made) -> Iterator[Row]:
    """Rows of a Codex rollout."""
    number = 0

    def row(type_: str, **payload: Any) -> Row:
        nonlocal number
        number += 1
        time = (START + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"timestamp": time, "type": type_, "payload": payload}

    def message(role: str, kind: str, text: str) -> Row:
        return row("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    yield row("session_meta", id=THREAD, cwd="/w", cli_version="0.171.0", instructions=made.prose(12))
    yield row("event_msg", type="task_started", turn_id="019b0000-1000-7000-8000-00000000000c")
    yield row("turn_context", turn_id="019b0000-1000-7000-8000-00000000000c", model="m", cwd="/w")
    yield message("user", "input_text", "Make the decode kernel faster on this device.")
    yield row("event_msg", type="user_message", message="Make the decode kernel faster on this device.")
    total, step = 0, 0
    while True:
        secret = f"{made.draw.getrandbits(20_000):x}"
        summary = [{"type": "summary_text", "text": f"**Step {step}**\n\n{made.prose()}"}]
        yield row("response_item", type="reasoning", summary=summary, encrypted_content=secret)
        if step % 4 == 0:
            words = _said(made, step)
            yield row("event_msg", type="agent_message", message=words)
            yield message("assistant", "output_text", words)
        tool, given, output = _step(made, step)
        command = given.get("command") or f"sed -n 1,200p {given.get('file_path', given.get('path'))}"
        if tool == "Edit":
            old, new = given["old_string"].split("\n")[1:-1], given["new_string"].split("\n")[1:-1]
            changed = [f"-{line}" for line in old] + [f"+{line}" for line in new]
            hunk = "\n".join(
                ["*** Begin Patch", "*** Update File: kernel.cu", "@@", *changed, "*** End Patch"]
            )
            done = json.dumps({"output": "Success. Updated the following files:\nM kernel.cu\n"})
            name = f"call_{step}"
            yield row("response_item", type="custom_tool_call", name="apply_patch", call_id=name, input=hunk)
            yield row("response_item", type="custom_tool_call_output", call_id=name, output=done)
        else:
            arguments = json.dumps({"cmd": command, "workdir": "/w"})
            name = f"call_{step}"
            yield row(
                "response_item", type="function_call", name="exec_command", arguments=arguments, call_id=name
            )
            printed = f"Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
            yield row("response_item", type="function_call_output", call_id=name, output=printed)
        total += 4_000
        used = {"input_tokens": total, "output_tokens": total // 90, "cached_input_tokens": total // 2}
        yield row("event_msg", type="token_count", info={"total_token_usage": used, "last_token_usage": used})
        step += 1


SHAPES: dict[str, Callable[[_Made], Iterator[Row]]] = {"claude": claude, "codex": codex, "small": small}


def write(shape: str, path: Path, size: int) -> int:
    """Write a transcript of a little more than `size` bytes; returns how many lines it has."""
    written = lines = 0
    with path.open("w", encoding="utf-8") as file:
        for row in SHAPES[shape](_Made()):
            written += file.write(json.dumps(row, ensure_ascii=False) + "\n")  # all of it is ASCII
            lines += 1
            if written >= size:
                break
    return lines
