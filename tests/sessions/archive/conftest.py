from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test looks into the user's own state folder."""
    folder = tmp_path / "state"
    monkeypatch.setenv("KERNELSEEK_HOME", str(folder))
    return folder
