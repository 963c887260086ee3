"""Recorded inputs that live beside the repository, and the mark for tests that need them."""

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[1] / ".." / "shared" / "cases"

CASES: Path | None = _FOLDER.resolve() if _FOLDER.is_dir() else None

needs_cases = pytest.mark.skipif(CASES is None, reason="the recorded inputs (../shared/cases) are not here")
