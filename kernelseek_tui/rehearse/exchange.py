"""What the rehearsal server keeps of each request."""

import time
from dataclasses import dataclass, field

from kernelseek_tui.rehearse.wrappers import Words


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. No header is kept, so no key is.

    `number` counts the requests that offer tools (0 for others). `kind` is what the answer was: `story`,
    `aside`, `summary`, `count`, `models`, `other`. `heard` is what reached the agent since its last reply,
    `texts` and `calls` (tool names) what it answered, `fault` what struck, `detail` why it was refused.
    """

    path: str
    kind: str
    status: int
    number: int = 0
    model: str = ""
    heard: tuple[Words, ...] = ()
    texts: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    fault: str = ""
    detail: str = ""
    time: float = field(default_factory=time.time)
