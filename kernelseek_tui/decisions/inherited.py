"""`scope`, a second way: a structure is taken over from elsewhere and kept, and nothing measured says why."""

import re

from kernelseek_tui.decisions.claims import MOST, mask, sentences
from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.standing import Backing
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

_PART = (
    r"(?:structure|design|architecture|layout|algorithm|approach|tiling|tile sizes?|pipeline|"
    r"launch (?:path|config\w*|logic|code)|"
    r"wrapper|host (?:code|path|side)|dispatch(?:er)?|scheduler?|scheduling|routing|skeleton|"
    r"decomposition|split)"
)
_FROM = (
    r"(?:existing|original|inherited|reference(?:'s)?|baseline(?:'s)?|upstream(?:'s)?|"
    r"library(?:'s)?|current|given|old)"
)
_KEEPS = re.compile(
    rf"\b(?:keep(?:s|ing)?|kept|leav(?:e|es|ing)|left|stick(?:s|ing)? (?:with|to)|retain(?:s|ed|ing)?|"
    rf"preserv(?:e|es|ed|ing)|"
    rf"inherit(?:s|ed|ing)?|tak(?:e|es|en|ing) over|carr(?:y|ied|ies) over) (?:the |its |their |"
    rf"our )?(?:same )?{_FROM}(?: \w+)? {_PART}\b|"
    rf"\b{_PART}\b[^.\n]{{0,30}}? (?:is|are|was|were|stays?|remains?) (?:inherited|taken over|"
    rf"carried over|unchanged from|the same as (?:in )?(?:the )?{_FROM})|"
    r"(?:保留|沿用|继承|维持)(?:了)?(?:原有|原来|原始|现有|参考|上游|基线)的?(?:\S{0,6})(?:结构|设计|"
    r"架构|布局|算法|流程|分块|调度|启动|封装)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:measured|profil\w+|benchmark\w*|because it is faster|since it is faster|\d+(?:\.\d+)? ?(?:%|"
    r"us|µs|ms|x\b))|(?:测得|实测|性能分析)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|n['’]t|no longer|never|instead of|rather than|why|whether|if)\b", re.IGNORECASE)


class Inherited:
    """Fires at the main agent's words, in a session about speed, when no number stands in the sentence and no
    measurement was recognised before it since the kernel last changed. What is inherited is decided once and
    then believed; the question is what it costs.
    """

    kind = DecisionKind.SCOPE
    version = "1"

    def __init__(self, backing: Backing | None = None) -> None:
        self._backing = backing or Backing()

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest event keeps an inherited structure without evidence."""
        self._backing.take(state, event)
        if not isinstance(event, ev.AgentText) or event.agent is not None or not self._backing.about_speed:
            return None
        text = event.text[:MOST]
        if not _KEEPS.search(text):
            return None
        prose = mask(text)
        for start, end in sentences(prose):
            sentence = prose[start:end]
            match = _KEEPS.search(sentence)
            if match is None or _BECAUSE.search(sentence) or _NOT.search(sentence[: match.start()][-40:]):
                continue
            if sentence.rstrip().endswith(("?", "？")):
                continue
            quote = " ".join(text[start:end].split())[:280]
            reason = "A structure is taken over and kept; no measurement of it stands beside that."
            return Finding(self.kind, (ev.Evidence(event=event.id, quote=quote),), 0.4, reason)
        return None
