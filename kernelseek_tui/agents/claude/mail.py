"""What became of the messages that were sent to a client: each is told once, when the agent is given it."""

from dataclasses import dataclass


@dataclass(slots=True)
class _Sent:
    text: str
    taken: bool = False
    told: bool = False


class Mail:
    """The messages under way, by uuid. Pure bookkeeping; the stream reader makes the events.

    A message is taken when the client starts its turn or echoes it, whichever line comes first. What is
    taken before the session has a beginning is told right after that.
    """

    def __init__(self) -> None:
        self._sent: dict[str, _Sent] = {}

    def __contains__(self, uuid: object) -> bool:
        return uuid in self._sent

    @property
    def waiting(self) -> bool:
        """Something was sent that no turn has taken up."""
        return any(not sent.taken for sent in self._sent.values())

    @property
    def untold(self) -> list[str]:
        """Texts that the agent was never given."""
        return [sent.text for sent in self._sent.values() if not sent.told]

    def sending(self, uuid: str, text: str) -> None:
        """A message is about to be written."""
        self._sent[uuid] = _Sent(text)

    def forget(self, uuid: str) -> None:
        """It was not written after all."""
        self._sent.pop(uuid, None)

    def take(self, uuid: str) -> None:
        """The client took it up."""
        if uuid in self._sent:
            self._sent[uuid].taken = True

    def tell(self) -> list[str]:
        """Texts that were taken and not told yet, in order; from now on they are told."""
        news = [sent for sent in self._sent.values() if sent.taken and not sent.told]
        for sent in news:
            sent.told = True
        return [sent.text for sent in news]

    def over(self, uuid: str) -> str | None:
        """The client is done with it; the text of one that the agent was never given."""
        sent = self._sent.get(uuid)
        if sent is None or (sent.taken and not sent.told):
            return None
        del self._sent[uuid]
        return None if sent.taken else sent.text
