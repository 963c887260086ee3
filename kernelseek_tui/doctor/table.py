"""All checks in one table, and how they are run: at the same time, each with a limit."""

import time
from collections.abc import Callable, Sequence
from threading import Thread

from kernelseek_tui.doctor import agents, gpu, house, machine, terminal, tools
from kernelseek_tui.doctor.finding import Finding, State, Surroundings

Check = Callable[[Surroundings], Finding]

CHECKS: tuple[Check, ...] = (
    house.python,
    house.packages,
    tools.compiler,
    tools.ninja,
    tools.torch,
    machine.state_folder,
    machine.cache_folder,
    machine.cores,
    machine.clock,
    terminal.terminal,
    terminal.tmux,
    agents.claude,
    agents.node,
    agents.sdk,
    agents.key,
    gpu.driver,
    gpu.nvcc,
)
ALONE: frozenset[Check] = frozenset({machine.clock})
"""Run before the others, since they would disturb it."""

NEEDED: frozenset[Check] = frozenset(
    {
        house.python,
        house.packages,
        tools.compiler,
        tools.ninja,
        tools.torch,
        machine.state_folder,
        machine.cache_folder,
    }
)
"""Without these the demo does not work."""

SCRIPTED_ONLY = (
    "Claude Code, owned (`steer --agent claude`)",
    "Claude Code, attached (`attach`, its hooks)",
    "the built-in agent (`steer --agent builtin`)",
    "the questioners `bank` and `self`",
)
"""What was only ever run against a scripted model: no model has been asked anything yet."""

SECONDS = 2.7
"""For all checks together; whoever has not answered by then is reported as such."""


def examine(
    around: Surroundings, checks: Sequence[Check] = CHECKS, seconds: float = SECONDS
) -> list[Finding]:
    """Run the checks; their findings in the order of the table, one each whatever happens."""
    found: dict[Check, Finding] = {}

    def run(check: Check) -> None:
        try:
            found[check] = check(around)
        except Exception as error:
            # Whatever is broken here is what the doctor was called for: it must not die of it.
            said = f"the check itself failed: {type(error).__name__}: {error}"
            found[check] = Finding(check.__name__, State.MISSING, said, "", needed=check in NEEDED)

    deadline = time.monotonic() + seconds
    for check in checks:
        if check in ALONE:
            run(check)
    # Daemons: a probe that hangs in the system must not keep the program from ending.
    threads = [Thread(target=run, args=(check,), daemon=True) for check in checks if check not in ALONE]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = "gave no answer in time"
    return [
        found.get(check) or Finding(check.__name__, State.MISSING, late, "", needed=check in NEEDED)
        for check in checks
    ]


def ready(findings: Sequence[Finding]) -> bool:
    """Everything that the demo needs is there."""
    return not any(finding.needed and finding.state is State.MISSING for finding in findings)
