"""A session told in a few words, with the review following it."""

from kernelseek_tui.review.ledger import ClaimRow
from kernelseek_tui.review.review import Review
from sessions import events as ev
from tests.kernelseek_tui.decisions.told import Told


class Followed(Told):
    """A session told in a few words, with the review following it."""

    def __init__(self) -> None:
        super().__init__()
        self.review = Review()

    def take(self, event: ev.AnyEvent) -> str:
        made = super().take(event)
        self.review.take(self.state, event)
        return made

    def rows(self) -> list[ClaimRow]:
        return self.review.ledger.rows(self.state)

    def kernel(self) -> None:
        call = f"k{len(self.events)}"
        made = self.take(
            ev.ToolCall(
                id=self.next_id, call=call, tool="Edit", input={"file_path": "k.cu", "new_string": "x"}
            )
        )
        self.take(ev.Edit(id=self.next_id, path="k.cu", candidate=True, parent=made))
        self.result("ok", call)
