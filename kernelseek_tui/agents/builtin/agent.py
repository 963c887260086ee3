"""The built-in agent: our own loop over the anthropic SDK, in a process of its own, behind the interface of
every agent.

Needs the extra `builtin` (the anthropic package) and credentials as the SDK finds them: `ANTHROPIC_API_KEY`,
`ANTHROPIC_AUTH_TOKEN` or one of its profiles. This module loads no SDK; only the client process does.
"""

import asyncio
import importlib.metadata
import importlib.util
import os
import tomllib
from collections.abc import Callable

from kernelseek_tui.agents.builtin.budget import DEFAULT_TOKENS
from kernelseek_tui.agents.builtin.credentials import NO_KEY, has_credentials
from kernelseek_tui.agents.lines.driver import LinesAgent
from kernelseek_tui.agents.protocol import AgentError, AgentSpec, Capabilities, PermissionChoice
from sessions import events as ev

DEFAULT_MODEL = "claude-opus-5-5"
MARK = ".kernelseek/workspace.toml"
CANDIDATE = "candidate.cpp"


class BuiltinAgent(LinesAgent):
    """Runs `spec.model` (None: `DEFAULT_MODEL`) in the workspace.

    It stops with a sentence at `dollars` spent (None: no ceiling; kept by the price list, so only for models
    that are in it) and at `tokens` in all. `rehearsed` marks a session whose model is a script. `backoff`:
    seconds before the first repeat of a request that failed.
    """

    name = "builtin"
    label = "built-in agent"
    capabilities = Capabilities(interrupt=True, pause=True, mid_turn=True, permissions=True, usage=True)

    def __init__(
        self,
        *,
        dollars: float | None = None,
        tokens: int = DEFAULT_TOKENS,
        rehearsed: bool = False,
        backoff: float = 2.0,
        max_tokens: int | None = None,
    ) -> None:
        super().__init__()
        self._dollars = dollars
        self._tokens = tokens
        self._rehearsed = rehearsed
        self._backoff = backoff
        self._max_tokens = max_tokens

    async def check(self, spec: AgentSpec) -> None:
        """Whether SDK, workspace and credentials are there. Raises `AgentError`."""
        self._look(spec)
        if not await asyncio.to_thread(has_credentials, {**os.environ, **spec.environment}):
            raise AgentError(NO_KEY)

    def _look(self, spec: AgentSpec) -> None:
        self._check(spec)
        if spec.resume:
            raise AgentError("The built-in agent cannot resume a session; start a new one.")
        if importlib.util.find_spec("anthropic") is None:
            raise AgentError(
                "The built-in agent needs the anthropic package: pip install 'kernelseek-tui[builtin]'."
            )

    async def start(self, spec: AgentSpec) -> None:
        """Start the client and give it the task. Raises `AgentError` (no SDK, no workspace, a resume)."""
        self._look(spec)
        model = spec.model or DEFAULT_MODEL
        operator, candidate = _marked(spec)
        arguments = ["--workspace", str(spec.workspace.resolve()), "--candidate", candidate, "--model", model]
        arguments += ["--token-ceiling", str(self._tokens), "--backoff", str(self._backoff)]
        if self._dollars is not None:
            arguments += ["--spend-ceiling", str(self._dollars)]
        if self._max_tokens is not None:
            arguments += ["--max-tokens", str(self._max_tokens)]
        if not spec.ask_permission:
            arguments.append("--allow-all")
        started = ev.SessionStarted(
            id="",
            session=spec.environment.get("KERNELSEEK_SESSION", self.name),
            agent_name=self.name,
            model=model,
            cwd=str(spec.workspace),
            workspace=str(spec.workspace),
            operator=operator,
            candidate=str(spec.workspace / candidate),
            task=spec.task,
            rehearsed=self._rehearsed,
            versions={"anthropic": importlib.metadata.version("anthropic")},
        )
        await self._launch(spec, "kernelseek_tui.agents.builtin.client", arguments, started)

    async def answer(self, request: str, choice: PermissionChoice, message: str = "") -> None:
        """Answer a permission request; a denial's `message` is what the model reads as the tool's result."""
        await self._answer(request, choice, message)

    def on_partial(self, listener: Callable[[str], None]) -> None:
        """Call `listener(text so far)` as a reply grows, and `listener("")` when it is whole or void."""
        self._partial_listener = listener


def _marked(spec: AgentSpec) -> tuple[str | None, str]:
    """Operator and candidate, from the workspace's mark; a folder without one has the usual candidate."""
    try:
        mark = tomllib.loads((spec.workspace / MARK).read_text(encoding="utf-8"))
        return str(mark["operator"]), str(mark["candidate"])
    except FileNotFoundError:
        return None, CANDIDATE
    except (OSError, ValueError, KeyError) as error:
        raise AgentError(f"{spec.workspace / MARK} cannot be used: {error}.") from error
