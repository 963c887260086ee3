"""A project with settings, for tests that put hooks into them."""

import json
from pathlib import Path

from kernelseek_tui.attach.merge import tags_in
from kernelseek_tui.attach.settings import ProjectSettings

PROGRAM = ["/opt/a b/kernelseek"]
ONE, TWO = "11111111-aaaa", "22222222-bbbb"


class Project:
    def __init__(self, folder: Path, data: bytes | None = None) -> None:
        self.folder, self.home = folder, folder / "home"
        self.path = folder / ".claude" / "settings.local.json"
        if data is not None:
            self.path.parent.mkdir()
            self.path.write_bytes(data)
        self.settings = ProjectSettings(folder, self.home)

    def install(self, session: str = ONE) -> None:
        self.settings.install(session, PROGRAM)

    def remove(self, session: str = ONE) -> str:
        return " ".join(self.settings.remove(lambda tag: tag.session == session))

    def tags(self) -> list[str]:
        return [tag.session for tag in tags_in(json.loads(self.path.read_bytes()))]

    @property
    def records(self) -> list[Path]:
        """The state folder's records, and what stands beside them."""
        folder = self.home / "attached" / "settings"
        return sorted(path for path in folder.glob("*") if path.suffix != ".lock")
