"""`--resume` of a rehearsal: what its journal must say for another run to go on with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.workspace import Workspace
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent, told
from kernelseek_tui.agents.rehearsal.place import OtherStoryError, Place, find_place
from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.home import journal_path
from sessions.journal import Journal
from sessions.transcript import open_transcript


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session that goes on: its open journal, what is in it, the seed it was played with, its place."""

    journal: Journal
    events: Sequence[ev.AnyEvent]
    seed: int
    place: Place


def resume_rehearsal(session: str, workspace: Workspace, agent: RehearsalAgent) -> Resumed:
    """Open the session of that id. Raises `RefusedInput`, `LockedSession`, `StorageError`, `ScriptError`.

    Refused are a session that is unknown, one whose goal is met, and one of another agent, workspace or
    script. Its journal is then as it was.
    """
    path = journal_path(session)
    if not path.is_file():
        raise RefusedInput(
            f"There is no session {session} to resume: {path} does not exist; "
            "a session's id is the name of its journal's folder."
        )
    journal = Journal.of(session)
    try:
        events = open_transcript(path).events
        started = next((event for event in events if isinstance(event, ev.SessionStarted)), None)
        if started is None:
            raise RefusedInput(f"The session {session} ended before its agent had started; start a new one.")
        _check(session, started, events, workspace, agent)
        try:
            seed = int(started.versions.get("seed", "0"))
            place = find_place(events, agent.script, seed, str(workspace.root.resolve()))
        except (OtherStoryError, ValueError):
            raise RefusedInput(
                f"The journal of the session {session} does not follow the script {agent.script.name}; "
                "start a new session."
            ) from None
        return Resumed(journal, events, seed, place)
    except BaseException:  # whatever happened, the session's lock is given back
        journal.close()
        raise


def _check(
    session: str,
    started: ev.SessionStarted,
    events: Sequence[ev.AnyEvent],
    workspace: Workspace,
    agent: RehearsalAgent,
) -> None:
    if started.agent_name != agent.name:
        raise RefusedInput(
            f"The session {session} is one of the agent {started.agent_name}, not of {agent.name}; "
            "--resume of another agent takes its client's own id."
        )
    if started.workspace != str(workspace.root):
        raise RefusedInput(
            f"The session {session} works in {started.workspace}, not in {workspace.root}; resume it there."
        )
    script = told(agent.script)
    if started.versions.get("script") != script:
        raise RefusedInput(
            f"The session {session} plays the script {started.versions.get('script')}, "
            f"which is not {script}; start a new session."
        )
    ended = next((event for event in reversed(events) if isinstance(event, ev.SessionEnded)), None)
    if ended is not None and ended.exit_code == 0:
        raise RefusedInput(f"The session {session} ended with its goal met; there is nothing to go on with.")
