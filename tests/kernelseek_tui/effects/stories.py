"""Journals made by hand, in which every figure is known."""

from pathlib import Path

from bank.bank import Bank
from bank.effects.record import Record
from kernelseek_tui.effects.session import Measured, measure
from kernelseek_tui.effects.wording import Wordings
from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.bank.builders import entry
from tests.kernelseek_tui.decisions.told import Told

HOST, ROUTING = "kq-host-901", "kq-routing-901"
HOST_TEXT = "How many microseconds of a call pass before the device has work?"
ROUTING_TEXT = "How many scenarios take the general path on {arch}?"
BANK = Bank(
    (
        entry(id=HOST, question=HOST_TEXT),
        entry(
            id=ROUTING,
            group="routing-and-distribution",
            question=ROUTING_TEXT,
            params=["arch"],
            decision_kinds=["plateau", "claimed_limit"],
        ),
    )
)
WORDINGS = Wordings(BANK)
TRACE = "nsys profile -o call ./bench && nsys stats call.nsys-rep"


class Story(Told):
    """A journal of ours: it says itself what was flagged, asked and delivered."""

    def __init__(self, rehearsed: bool = False, questioner: str = "bank", session: str = "s1") -> None:
        super().__init__()
        self.take(
            ev.SessionStarted(
                id=self.next_id,
                session=session,
                agent_name="claude",
                model="model-1",
                operator="attention",
                candidate="candidate.cpp",
                questioner=questioner,
                rehearsed=rehearsed,
            )
        )
        self.human("Make candidate.cpp faster.")

    def kernel(self) -> None:
        """The candidate is edited."""
        call = f"k{len(self.events)}"
        given = {"file_path": "candidate.cpp", "new_string": "x"}
        self.take(ev.ToolCall(id=self.next_id, call=call, tool="Edit", input=given))
        self.result("ok", call)

    def scores(self, *means: float, low: float | None = None, status: str = "CORRECT") -> None:
        for mean in means:
            right = status == "CORRECT"
            self.take(
                ev.Evaluation(
                    id=self.next_id,
                    evaluation="x",
                    status=status,
                    geomean=mean,
                    low=mean - 0.01 if low is None else low,
                    high=mean + 0.01,
                    exit_code=0 if right else 20,
                    scenario_set="demo",
                    baseline="start",
                    correct=4 if right else 3,
                    total=4,
                )
            )

    def flag(self, kind: DecisionKind = DecisionKind.PLATEAU, evidence: str = "e1") -> str:
        return self.take(
            ev.DecisionPoint(
                id=self.next_id,
                decision=kind,
                evidence=(ev.Evidence(event=evidence, quote="x"),),
                confidence=0.8,
                reason="nothing moved",
            )
        )

    def ask(
        self,
        text: str = HOST_TEXT,
        entry_id: str | None = HOST,
        decision: str | None = None,
        by: str = "bank",
        receipt: str | None = "own_turn",
        edited: bool = False,
        propensity: float | None = None,
    ) -> str:
        asked = self.take(
            ev.QuestionAsked(
                id=self.next_id,
                questioner=by,
                text=text,
                entry=entry_id,
                parent=decision,
                edited=edited,
                propensity=propensity,
            )
        )
        if receipt is not None:
            self.receive(asked, receipt)
        return asked

    def receive(self, asked: str, receipt: str) -> None:
        self.take(
            ev.QuestionReceipt.model_validate({"id": self.next_id, "parent": asked, "receipt": receipt})
        )

    def silent(self, decision: str, why: str = "questioner none asks nothing") -> None:
        self.take(ev.Note(id=self.next_id, parent=decision, text=f"Not asked: {why}."))

    def measured(self) -> Measured:
        return measure(self.events, "made", WORDINGS)

    def records(self, what: str = "asked") -> list[Record]:
        return [record for record in self.measured().records if record.what == what]

    def one(self, what: str = "asked") -> Record:
        (record,) = self.records(what)
        return record

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(ev.dump_event(event) + "\n" for event in self.events), encoding="utf-8")
        return path
