"""The tools our own agents really use: Bash, Read, Edit, Write, with the manners of a coding agent's own.

Files are read and written inside the workspace only. A command runs in a process group of its own and can
be stopped with everything it started.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelseek_tui.agents.lines.files import Files, RefusedError, ToolOutcome, shorten

MAX_OUTPUT = 30_000
"""Characters of a command's output that reach the agent; the middle of a longer one is left out."""

MAX_KEPT_BYTES = 8 << 20
MAX_LINES = 2000
DEFAULT_TIMEOUT_MS = 600_000
GRACE_SECONDS = 2.0
"""Between asking a stopped command to end (SIGINT, so that it can clean up) and SIGKILL."""

DRAIN_SECONDS = 0.5

INTERRUPTED = "Interrupted by the user."


class Tools:
    """The tools of one agent in `workspace`.

    `environment` is what commands see. `on_group` is told the process group of a command when it starts
    and, with False, when nothing of it is left, so that somebody else can end it if we are killed.
    """

    def __init__(
        self,
        workspace: Path,
        candidate: str,
        environment: Mapping[str, str],
        on_group: Callable[[int, bool], None] = lambda group, running: None,
    ) -> None:
        self.files = Files(workspace, candidate)
        self._environment = dict(environment)
        self._on_group = on_group
        self._stop = asyncio.Event()

    async def run(self, tool: str, arguments: Mapping[str, str | int]) -> ToolOutcome:
        """Run a tool. Whatever goes wrong is an outcome with `is_error`."""
        try:
            match tool:
                case "Bash":
                    timeout = int(arguments.get("timeout", DEFAULT_TIMEOUT_MS)) / 1000
                    return await self._bash(str(arguments["command"]), timeout)
                case "Read":
                    return self._read(self.files.inside(arguments["file_path"]))
                case "Edit":
                    path, old, new = (arguments[key] for key in ("file_path", "old_string", "new_string"))
                    return self._edit(self.files.inside(path), str(old), str(new))
                case "Write":
                    return self._write(self.files.inside(arguments["file_path"]), str(arguments["content"]))
        except RefusedError as error:
            return ToolOutcome(str(error), is_error=True)
        except KeyError as error:
            return ToolOutcome(f"{tool} needs the input {error.args[0]!r}.", is_error=True)
        except OSError as error:
            return ToolOutcome(f"{error.filename}: {error.strerror}", is_error=True)
        except ValueError as error:  # a file that is not UTF-8, a timeout that is no number
            return ToolOutcome(f"{tool} cannot do that: {error}.", is_error=True)
        return ToolOutcome(f"There is no tool named {tool}.", is_error=True)

    def stop(self) -> None:
        """Stop the running command, if there is one."""
        self._stop.set()

    def _read(self, path: Path) -> ToolOutcome:
        lines = self.files.read(path, errors="replace").splitlines()
        shown = (f"{number:6}\t{line}" for number, line in enumerate(lines[:MAX_LINES], 1))
        return ToolOutcome("\n".join(shown) or "The file is empty.")

    def _edit(self, path: Path, old: str, new: str) -> ToolOutcome:
        text = self.files.read(path)
        if old == new:
            raise RefusedError("old_string and new_string are the same.")
        count = text.count(old)
        if count == 0:
            raise RefusedError(f"String to replace not found in {path.name}.")
        if count > 1:
            raise RefusedError(
                f"Found {count} matches of the string to replace in {path.name}; it must be unique."
            )
        return self.files.save(path, text, text.replace(old, new))

    def _write(self, path: Path, content: str) -> ToolOutcome:
        return self.files.save(path, self.files.read_if_there(path), content)

    async def _bash(self, command: str, timeout: float) -> ToolOutcome:
        self._stop.clear()
        # A pipe of our own: asyncio's `wait` waits for its pipes too, and so for whatever holds them open.
        output_end, command_end = os.pipe()
        stream = asyncio.StreamReader()
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(output_end, "rb")
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *("bash", "-c", command),
                cwd=self.files.workspace,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=command_end,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError:
            pipe.close()
            raise
        finally:
            os.close(command_end)
        kept = bytearray()
        reading = asyncio.create_task(_collect(stream, kept))
        exited = asyncio.create_task(process.wait())
        stopped = asyncio.create_task(self._stop.wait())
        try:
            self._on_group(process.pid, True)  # may fail: whoever is told is gone
            await asyncio.wait({exited, stopped}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            ended, interrupted = exited.done(), stopped.done()
            if not ended:
                _signal(process.pid, signal.SIGINT)
                await asyncio.wait({exited}, timeout=GRACE_SECONDS)
        finally:
            stopped.cancel()
            # What a command leaves behind in its group ends with it, so that no later timing is disturbed.
            _signal(process.pid, signal.SIGKILL)
            await exited
            # A process that left the group may hold the pipe open for ever; what was read is the output.
            await asyncio.wait({reading}, timeout=DRAIN_SECONDS)
            reading.cancel()
            pipe.close()
            output = shorten(kept.decode(errors="replace"), MAX_OUTPUT)
            self._on_group(process.pid, False)
        if ended:
            code = process.returncode
            return ToolOutcome(f"Exit code {code}\n{output}" if code else output or "(no output)", bool(code))
        reason = INTERRUPTED if interrupted else f"The command ran past {timeout:g} s and was stopped."
        return ToolOutcome(f"{output}\n{reason}".strip(), is_error=True, interrupted=interrupted)


async def _collect(stream: asyncio.StreamReader, kept: bytearray) -> None:
    """Read to the end but keep no more than a bound: head and tail are what is shown."""
    while chunk := await stream.read(1 << 16):
        kept += chunk
        if len(kept) > MAX_KEPT_BYTES:
            del kept[MAX_KEPT_BYTES // 2 : -MAX_KEPT_BYTES // 4]


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
