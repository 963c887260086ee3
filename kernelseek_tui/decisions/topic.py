"""What a session is about: whether it is one that makes a kernel faster."""

import re

from sessions import events as ev

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
READ_AT_MOST = 20_000  # characters of one text


class Topic:
    """Hears the task, people and the main agent. `said`: where speed was first spoken of."""

    def __init__(self) -> None:
        self.said: ev.Evidence | None = None
        self.heard = 0
        self._device: set[str] = set()
        self._speed: set[str] = set()

    @property
    def about_speed(self) -> bool:
        """Enough was said to know that a kernel is to become faster."""
        return bool(self._device) and len(self._speed) >= 2

    def hear(self, event: ev.AnyEvent) -> None:
        """Take in what the newest event says."""
        match event:
            case ev.SessionStarted():
                text = event.task or ""
            case ev.HumanMessage() | ev.AgentText() if event.agent is None:
                text = event.text
            case _:
                return
        self.heard += 1
        if self.said is not None and self.about_speed:
            return
        text = text[:READ_AT_MOST]
        speed = _SPEED.search(text)
        self._device.update(word.lower().rstrip("s") for word in _DEVICE.findall(text))
        self._speed.update(word.lower().rstrip("s") for word in _SPEED.findall(text))
        if speed and self.said is None:
            start = max(0, speed.start() - 80)
            self.said = ev.Evidence(event=event.id, quote=" ".join(text[start : speed.end() + 80].split()))
