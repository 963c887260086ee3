"""`scope`: the session opens, and nobody has said what is to be measured or measured it."""

import re

from kernelseek_tui.decisions.claims import claims_of
from kernelseek_tui.decisions.protocol import Finding
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind

# One word of the first table and two different ones of the second say that a session is about fast kernels.
_DEVICE = re.compile(
    r"\b(?:kernels?|cuda|triton|hip|rocm|cutlass|gpus?|ptx|sass|warps?|gemm|gemv|attention|"
    r"tensor[- ]cores?)\b",
    re.IGNORECASE,
)
_SPEED = re.compile(
    r"\b(?:faster|fast as|slower|speed-?ups?|latency|throughput|bandwidth|benchmark(?:s|\.py)?|roofline|"
    r"geometric mean|geomean|baseline|tflops|parity|peak_fraction|profil(?:e|er|ing)|"
    r"(?:kernel|performance) optimi[sz]ation|optimi[sz]e (?:the|this) kernel)\b",
    re.IGNORECASE,
)
# Later than this a session has a scope, said or not: main agent's texts and people's messages, and events.
_OPENING_TEXTS, _OPENING_EVENTS = 16, 200
_READ_AT_MOST = 20_000  # characters of one text


class Scope:
    """Fires once, at the main agent's first words after the session is known to be about kernel speed.

    Only before the kernel was edited and before anything was evaluated or benchmarked: later the moment is
    over.
    """

    kind = DecisionKind.SCOPE
    version = "1"

    def __init__(self) -> None:
        self._over = False
        self._heard = 0
        self._device: set[str] = set()
        self._speed: set[str] = set()
        self._said: ev.Evidence | None = None
        self._tools = 0

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding at the opening moment, once."""
        if self._over:
            return None
        late = self._heard >= _OPENING_TEXTS or state.count > _OPENING_EVENTS
        if late or self._begun(state, event):
            self._over = True
            return None
        self._hear(event)
        if not isinstance(event, ev.AgentText) or event.agent is not None or not self._about_speed:
            return None
        self._over = True
        if claims_of(event.text):
            return None  # what opens by closing is another kind of moment
        words = " ".join(event.text.split())
        here = ev.Evidence(event=event.id, quote=words[:200] + ("…" if len(words) > 200 else ""))
        asked = (self._said,) if self._said and self._said.event != event.id else ()
        reason = "The session opens: no scenario was measured and no kernel edited yet."
        return Finding(self.kind, (here, *asked), 0.5, reason)

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """Still the opening, once the session is quiet: nothing measured, no kernel edited."""
        return not state.evaluations and not any(_opens(run.activity) for run in state.tools[-20:])

    @property
    def _about_speed(self) -> bool:
        return bool(self._device) and len(self._speed) >= 2

    def _begun(self, state: SessionState, event: ev.AnyEvent) -> bool:
        runs, self._tools = state.tools[self._tools :], len(state.tools)
        edited = isinstance(event, ev.Edit) and event.candidate
        return edited or bool(state.evaluations) or any(_opens(run.activity) for run in runs)

    def _hear(self, event: ev.AnyEvent) -> None:
        match event:
            case ev.SessionStarted():
                text = event.task or ""
            case ev.HumanMessage() | ev.AgentText() if event.agent is None:
                text = event.text
            case _:
                return
        self._heard += 1
        text = text[:_READ_AT_MOST]
        speed = _SPEED.search(text)
        self._device.update(word.lower().rstrip("s") for word in _DEVICE.findall(text))
        self._speed.update(word.lower().rstrip("s") for word in _SPEED.findall(text))
        if speed and self._said is None:
            start = max(0, speed.start() - 80)
            self._said = ev.Evidence(event=event.id, quote=" ".join(text[start : speed.end() + 80].split()))


def _opens(activity: Activity) -> bool:
    return activity in (Activity.KERNEL_EDIT, Activity.BENCHMARK_RUN)
