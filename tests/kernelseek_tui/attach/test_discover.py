import json
import os
from pathlib import Path

import pytest

from kernelseek_tui.attach.discover import AttachError, Running, choose, look_again, running_sessions
from tests.kernelseek_tui.attach.conftest import Client


def running(session: str, changed: float = 0.0) -> Running:
    return Running(session, 1, Path("/somewhere"), "2.1.332", "interactive", "idle", changed)


def test_a_running_session_and_its_transcript_are_found(client: Client) -> None:
    (found,) = running_sessions(client.home)
    assert (found.session, found.cwd, found.status) == (client.session, client.cwd, "idle")
    client.write(client.prompt("go"))
    assert client.transcript.name == f"{client.session}.jsonl"
    client.says("busy")
    again = look_again(client.home, os.getpid())
    assert again is not None
    assert again.status == "busy"


def test_dead_processes_damage_and_keys_are_passed_over(client: Client) -> None:
    folder = client.home / "sessions"
    client.says("idle", pid=2**22 + 12345, session="dead-session")
    for name, text in {"1.json": "{", "2.json": "[]", "3.json": '{"pid": "x"}'}.items():
        (folder / name).write_text(text)
    (folder / "4.key").write_text("secret")
    (folder / "4.key").chmod(0)
    odd = {"pid": os.getpid(), "sessionId": "../../x", "cwd": "/"}
    (folder / "5.json").write_text(json.dumps(odd))
    assert [one.session for one in running_sessions(client.home)] == [client.session]


def test_choosing() -> None:
    several = [running("aaaa-1", 3.0), running("aabb-2"), running("cc-3")]
    assert choose(several, None).session == "aaaa-1"
    assert choose(several, "cc").session == "cc-3"
    for wanted, words in (("aa", "fits 2"), ("zz", "begins with")):
        with pytest.raises(AttachError, match=words):
            choose(several, wanted)
    with pytest.raises(AttachError, match="No running"):
        choose([], None)
