"""A client's home with a running session, without a client: files as it writes them."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from kernelseek_tui.attach.discover import Running, running_sessions, transcript_of


class Client:
    """`~/.claude` of a client that runs one session as this very process."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "client"
        self.cwd = folder / "project"
        self.session = str(uuid.uuid4())
        self.cwd.mkdir()
        (self.home / "sessions").mkdir(parents=True)
        self.says("idle")
        self.transcript.parent.mkdir(parents=True)
        self._count = 0

    def says(self, status: str, pid: int | None = None, session: str | None = None, **more: Any) -> None:
        """What the client says of its process."""
        said = {
            "pid": pid or os.getpid(),
            "sessionId": session or self.session,
            "cwd": str(self.cwd),
            "version": "2.1.332",
            "kind": "interactive",
            "status": status,
            **more,
        }
        (self.home / "sessions" / f"{pid or os.getpid()}.json").write_text(json.dumps(said))

    @property
    def running(self) -> Running:
        return next(one for one in running_sessions(self.home) if one.session == self.session)

    @property
    def transcript(self) -> Path:
        return transcript_of(self.home, self.running)

    def entry(self, **fields: Any) -> dict[str, Any]:
        self._count += 1
        return {
            "uuid": str(uuid.uuid4()),
            "sessionId": self.session,
            "cwd": str(self.cwd),
            "version": "2.1.332",
            "timestamp": f"2026-01-02T03:{self._count // 60 % 60:02d}:{self._count % 60:02d}.000Z",
            **fields,
        }

    def write(self, *entries: dict[str, Any], to: Path | None = None) -> None:
        path = to or self.transcript
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"".join(json.dumps(one).encode() + b"\n" for one in entries))

    def says_text(self, text: str) -> dict[str, Any]:
        message = {"id": f"m{self._count}", "role": "assistant", "content": [{"type": "text", "text": text}]}
        return self.entry(type="assistant", message=message)

    def hook_context(self, text: str) -> dict[str, Any]:
        attachment = {
            "type": "hook_additional_context",
            "content": [text],
            "hookName": "PostToolUse:Bash",
            "hookEvent": "PostToolUse",
        }
        return self.entry(type="attachment", attachment=attachment)

    def prompt(self, text: str) -> dict[str, Any]:
        return self.entry(type="user", message={"role": "user", "content": text}, promptSource="typed")


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    made = Client(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.home))
    return made
