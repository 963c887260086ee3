from pathlib import Path

import pytest

from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeWorkspace:
    monkeypatch.delenv("KERNELSEEK_SESSION", raising=False)
    return MadeWorkspace(tmp_path)
