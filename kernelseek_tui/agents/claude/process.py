"""Claude Code as a process: finding the binary, its version, its environment, its lines, and its end."""

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from kernelseek_tui.agents.guard import MARK, Guard, kill_group, kill_marked
from kernelseek_tui.agents.protocol import AgentError, AgentSpec
from kernelseek_tui.plain import one_line
from sessions.readers.lines import RawLine, trim
from sessions.redaction import secret_values

MINIMUM = (2, 1, 332)
"""The oldest version this driver was run with; older ones lack events it rests on, or were not tried."""

BINARY = "KERNELSEEK_CLAUDE"
INSTALL = "npm install -g @anthropic-ai/claude-code@latest"

STOP_BLOCKS = "1000"
"""How many Stop hooks in a row may hold a turn open; the client's own cap ends a goal after 8."""

VERSION_SECONDS = 30.0
STOP_SECONDS = 5.0
POLL_SECONDS = 0.1
ERROR_LINES = 20
CHUNK = 1 << 18

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def find_binary(asked: Path | None, environment: Mapping[str, str]) -> Path:
    """The binary: `asked`, else `KERNELSEEK_CLAUDE`, else `claude` on PATH. Raises `AgentError`.

    `asked` is a file, seen from the current folder, before it is a name on PATH.
    """
    named = str(asked) if asked else environment.get(BINARY, "")
    if asked and Path(named).exists():
        named = str(Path(named).absolute())  # a bare name would be looked for on PATH
    found = shutil.which(named or "claude", path=environment.get("PATH"))
    if found:
        return Path(found).absolute()
    if named and Path(named).is_file():
        raise AgentError(
            f"{named} is not executable: `chmod +x {shlex.quote(named)}`, or name another with --claude PATH "
            f"or {BINARY}."
        )
    where = f"There is no program at {named}" if named else "Claude Code (`claude`) is not on PATH"
    raise AgentError(f"{where}: install it with `{INSTALL}`, or name it with --claude PATH or {BINARY}.")


async def check_version(binary: Path, environment: Mapping[str, str]) -> str:
    """The version of the binary. Raises `AgentError` for one that is too old, or is not Claude Code."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(str(binary), "--version"),
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise AgentError(
            f"{binary} cannot be run ({error.strerror}); name another with --claude PATH."
        ) from error
    try:
        said, _ = await asyncio.wait_for(process.communicate(), VERSION_SECONDS)
    except TimeoutError:
        kill_group(process.pid)
        await process.wait()
        raise AgentError(
            f"{binary} --version said nothing for {VERSION_SECONDS:.0f} s; is it Claude Code?"
        ) from None
    text = said.decode(errors="replace")
    match = _VERSION.search(text)
    if process.returncode or match is None or "claude" not in text.casefold():
        words = one_line(text, 120) or "nothing"
        raise AgentError(f"{binary} does not look like Claude Code: --version said {words!r}.")
    if tuple(map(int, match.groups())) < MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        raise AgentError(
            f"Claude Code {match[0]} is too old: {wanted} is the oldest version that was verified; "
            f"update with `{INSTALL}`."
        )
    return match[0]


def environment_for(spec: AgentSpec, inherited: Mapping[str, str]) -> dict[str, str]:
    """What the client runs in: ours, the spec's, and `kernelseek` of this installation before any other.

    Raises `AgentError` where root would use tools unasked: the client refuses that outside a sandbox, and
    whether this is one is for the user to say.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{inherited.get('PATH', os.defpath)}"
    made = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": STOP_BLOCKS, **inherited, "PATH": path, **spec.environment}
    if not spec.ask_permission and os.geteuid() == 0 and made.get("IS_SANDBOX") != "1":
        raise AgentError(
            "Claude Code runs as root without asking (--allow-all) only in a sandbox: set IS_SANDBOX=1 if "
            "this is one, work as another user, or leave --allow-all out."
        )
    return made


class ClaudeProcess:
    """A running client. `write` sends a line, `lines` yields what it prints, `end` leaves nothing running."""

    def __init__(
        self, process: asyncio.subprocess.Process, mark: str, guard: Guard, secrets: tuple[str, ...]
    ) -> None:
        self._process = process
        self._mark = mark
        self._guard = guard
        self._secrets = secrets
        self._errors: list[str] = []
        self._error_reader = asyncio.create_task(self._read_errors())
        self._watcher = asyncio.create_task(self._watch())

    @classmethod
    async def spawn(
        cls, binary: Path, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> "ClaudeProcess":
        """Start it in a group of its own, with a guard that ends it if we die. Raises `AgentError`."""
        token = uuid4().hex
        mark = f"{MARK}={token}"
        try:
            guard = await Guard.start(mark)
        except OSError as error:
            raise AgentError(f"The guard of Claude Code could not be started: {error.strerror}.") from error
        try:
            process = await asyncio.create_subprocess_exec(
                *(str(binary), *arguments),
                cwd=folder,
                env={**environment, MARK: token},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=CHUNK,
            )
        except OSError as error:
            await guard.close()
            raise AgentError(f"Claude Code could not be started: {error.strerror} ({binary}).") from error
        guard.watch(process.pid)
        return cls(process, mark, guard, secret_values(environment))

    @property
    def pid(self) -> int:
        """The client's process, and its group."""
        return self._process.pid

    async def write(self, line: bytes) -> bool:
        """Write a line; False when the client takes none any more."""
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing() or self._process.returncode is not None:
            return False
        try:
            stdin.write(line)
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def close_input(self) -> None:
        """Tell the client that nothing more comes; it finishes its turn and ends."""
        if self._process.stdin:
            self._process.stdin.close()

    def terminate(self) -> None:
        """Ask the whole group to end."""
        if self._process.returncode is None:
            kill_group(self._process.pid, signal.SIGTERM)

    async def lines(self, longest: int) -> AsyncIterator[RawLine]:
        """What the client prints. Of a line above `longest` bytes only the size is kept."""
        assert self._process.stdout
        number, offset, size = 0, 0, 0
        parts: list[bytes] = []
        while chunk := await self._process.stdout.read(CHUNK):
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                size += len(piece)
                data = b"" if size > longest else trim(b"".join((*parts, piece)), offset)
                yield RawLine(number, offset, data, True, size > longest, size)
                number, offset, size = number + 1, offset + size + 1, 0
                parts.clear()
            size += len(rest)
            if size > longest:
                parts.clear()
            elif rest:
                parts.append(rest)
        if size:
            yield RawLine(number, offset, b"".join(parts), False, size > longest, size)

    async def end(self) -> int:
        """Let it end by itself for a while, then end it and everything it started.

        Its exit code, below 0 for a signal.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._exited(), STOP_SECONDS)
        if self._process.returncode is None:
            kill_group(self._process.pid, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._exited(), STOP_SECONDS)
        kill_group(self._process.pid)
        await self._watcher
        await asyncio.wait({self._error_reader}, timeout=STOP_SECONDS)
        return await self._process.wait()

    async def _exited(self) -> None:
        # Not `wait`: that also waits until nobody holds the pipes, and an orphan may.
        while self._process.returncode is None:
            await asyncio.sleep(POLL_SECONDS)

    async def _watch(self) -> None:
        """When the client has ended, end what it leaves: tools have sessions of their own and outlive it.

        They may also hold its output open, so that its reader would wait for them.
        """
        await self._exited()
        kill_group(self._process.pid)
        self._guard.forget(self._process.pid)
        await asyncio.to_thread(kill_marked, self._mark)
        await self._guard.close()

    def last_words(self) -> str:
        """The last line it wrote to stderr, without secrets."""
        said = [line.strip() for line in self._errors if line.strip()]
        words = said[-1] if said else ""
        for secret in self._secrets:
            words = words.replace(secret, "[secret]")
        return one_line(words, 300)

    async def _read_errors(self) -> None:
        assert self._process.stderr
        while chunk := await self._process.stderr.read(1 << 14):
            text = "".join(self._errors) + chunk.decode(errors="replace")
            self._errors = text[-(1 << 16) :].splitlines(keepends=True)[-ERROR_LINES:]


def how_it_ended(code: int) -> str:
    """An exit code in words."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return "ended by itself" if code == 0 else f"ended with exit code {code}"
