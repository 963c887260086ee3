"""What must not load: torch and anthropic cost seconds, textual costs a quarter of one."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "anthropic")
SCREEN = ("textual", *HEAVY)


def _loaded(code: str) -> set[str]:
    probe = f"{code}\nimport sys\nprint(' '.join(sorted(m for m in sys.modules if '.' not in m)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("import kernelseek_tui.cli.main", (*SCREEN, "numpy")),
        ("import kernelseek_tui.cli.inspect", SCREEN),
        ("import kernelseek_tui.cli.replay", SCREEN),
        ("import kernelseek_tui.hindsight", SCREEN),
        ("import kernelseek_tui.steer", SCREEN),
        ("import kernelseek_tui.app.live, kernelseek_tui.app.replay", HEAVY),
        ("import sessions.transcript", (*SCREEN, "numpy")),
        ("import bank.ranking", (*SCREEN, "numpy")),
        ("import harness.judge, kernels.attention.operator", SCREEN),
        ("import harness.goal_check, harness.records", (*SCREEN, "numpy")),  # the stop hook looks up, no more
    ],
)
def test_stays_light(code: str, forbidden: tuple[str, ...]) -> None:
    assert not _loaded(code) & set(forbidden)


def test_the_probe_can_see_a_heavy_module() -> None:
    assert "textual" in _loaded("import textual")


def test_help_needs_no_subcommand() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from kernelseek_tui.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "demo" in done.stdout
    assert done.stderr == ""
