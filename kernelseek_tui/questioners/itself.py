"""`self`: the agent puts the bank to itself. It gets the top group of a moment and has to pick and measure.

One message a moment, from one template; the questions in it are the bank's, word for word.
"""

from collections.abc import Sequence

from bank.bank import Bank
from bank.params import fill
from bank.question import Group
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Ask, Move, Silent
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

QUESTIONS = 5
"""At most so many in a message: a page to choose from, not a catalogue."""

OPENINGS: dict[DecisionKind, str] = {
    DecisionKind.SCOPE: "Before you go on, ask yourself.",
    DecisionKind.PLATEAU: "The score has stopped moving.",
    DecisionKind.CLAIMED_LIMIT: "You said that no more is to be had.",
    DecisionKind.CLAIMED_COMPLETION: "You said that the work is complete.",
    DecisionKind.SUSPICIOUS_WIN: "A gain came that nothing so far explains.",
    DecisionKind.EXPLAINED_ANOMALY: "A result was explained and not repaired.",
    DecisionKind.REPEATED_EDIT: "You are writing again what you had taken out.",
    DecisionKind.AGENT_LOOP: "You are doing the same things again.",
}
RULE = (
    "Pick one of them: the one whose answer you know least. Answer it with a number from a measurement that "
    "you make now, on the current build; give the command and what it printed. Then say which clause of the "
    "goal or which of your claims the number changes, or that it changes none."
)
DISPROVE = (
    "The limit stands only after you tried to disprove it. So first write down what you would see if it were "
    "not real, look for that with a measurement in a layer that you have not measured, or against a bound, "
    "and record the number. Then say that the limit stands, or withdraw it."
)


class ItSelf:
    """Sends the questions of a moment's top group that were not sent yet, with the rule for answering."""

    name = "self"

    def __init__(self, bank: Bank, limits: Limits | None = None) -> None:
        self.bank = bank
        self.limits = limits or Limits()

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Ask from the group of the first suggestion that no message of the session held."""
        if refusal := self.limits.refusal(state, decision):
            return Silent(refusal)
        sent = [seen.event.text for seen in state.asked]
        top = next((one for one in suggestions if not _held(one.question, sent)), None)
        if top is None:
            return Silent("every suggestion for this moment was asked before")
        ranked = [one.question for one in suggestions if one.group == top.group]
        others = self._entries(top.group, decision.decision)
        questions = [text for text in dict.fromkeys([*ranked, *others]) if not _held(text, sent)]
        return Ask(message(decision.decision, top.group, questions[:QUESTIONS]), None)

    def _entries(self, group: str, kind: DecisionKind) -> list[str]:
        """The group's questions that serve every device, for such moments, in the bank's order."""
        if group not in set(Group):
            return []
        entries = self.bank.select(group=Group(group), kind=kind)
        return [fill(entry.question, {}) for entry in entries if entry.core]


def message(kind: DecisionKind, group: str, questions: Sequence[str]) -> str:
    """The text that is sent: what was seen, the numbered questions, the rule."""
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions, start=1))
    parts = [f"{OPENINGS[kind]} From the group {group}:", listed, RULE]
    if kind is DecisionKind.CLAIMED_LIMIT:
        parts.append(DISPROVE)
    return "\n\n".join(part for part in parts if part)


def _held(question: str, sent: Sequence[str]) -> bool:
    return any(question in text for text in sent)
