"""The rehearsal agent: a scripted client in a process of its own, behind the interface of every agent.

What it says was written beforehand; what it does is real: it edits the candidate, runs `kernelseek evaluate`
and reads the numbers off what comes back. `SessionStarted.rehearsed` marks its sessions.
"""

from dataclasses import asdict
from pathlib import Path

from kernelseek_tui.agents.lines.driver import LinesAgent
from kernelseek_tui.agents.protocol import AgentError, AgentSpec, Capabilities
from kernelseek_tui.agents.rehearsal.place import Place
from kernelseek_tui.agents.rehearsal.script import DEFAULT, Script, ScriptError, load_script
from sessions import events as ev


class RehearsalAgent(LinesAgent):
    """Plays `script` (None: the attention script), waiting `pace` seconds before each of its replies."""

    name = "rehearsal"
    label = "rehearsal agent"
    capabilities = Capabilities(interrupt=True, pause=True, mid_turn=True, resume=True)

    def __init__(self, script: Path | None = None, pace: float = 0.4) -> None:
        super().__init__()
        self._path = script or DEFAULT
        self._pace = pace
        self._place: Place | None = None

    @property
    def script(self) -> Script:
        """The script it plays, read now. Raises `ScriptError`."""
        return load_script(self._path)

    def go_on_at(self, place: Place) -> None:
        """Have `start` go on with a session that broke off there; the agent then gets no task."""
        self._place = place

    async def start(self, spec: AgentSpec) -> None:
        """Start the player and give it the task. Raises `AgentError` (a bad script, no workspace)."""
        self._check(spec)
        try:
            script = self.script
        except ScriptError as error:
            raise AgentError(str(error)) from error
        arguments = ["--script", str(self._path.resolve()), "--workspace", str(spec.workspace.resolve())]
        arguments += ["--seed", str(spec.seed), "--pace", str(self._pace)]
        started = ev.SessionStarted(
            id="",
            session=spec.environment.get("KERNELSEEK_SESSION", self.name),
            agent_name=self.name,
            cwd=str(spec.workspace),
            workspace=str(spec.workspace),
            operator=script.operator,
            task=spec.task,
            rehearsed=True,
            versions={"script": told(script), "seed": str(spec.seed)},
        )
        place = asdict(self._place) if self._place is not None else None
        await self._launch(spec, "kernelseek_tui.agents.rehearsal.player", arguments, started, place)


def told(script: Script) -> str:
    """How a session names its script."""
    return f"{script.name}, format {script.version}"
