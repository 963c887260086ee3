"""Every key of the screen as a command of the palette."""

from collections.abc import AsyncIterator

from textual.command import DiscoveryHit, Hit, Hits, Provider

from kernelseek_tui.app.keys import PERMIT_KEYS, keys_for
from kernelseek_tui.app.session import SessionScreen


class TableCommands(Provider):
    """A table of keys, by what they do. A subclass has `_offers`: text, key, action."""

    async def _offers(self) -> AsyncIterator[tuple[str, str, str]]:
        return
        yield  # a generator of nothing

    async def search(self, query: str) -> Hits:
        """Commands that match what was typed."""
        matcher = self.matcher(query)
        async for text, shown, action in self._offers():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), self._runner(action), help=f"key {shown}")

    async def discover(self) -> Hits:
        """All of them."""
        async for text, shown, action in self._offers():
            yield DiscoveryHit(text, self._runner(action), help=f"key {shown}")

    def _runner(self, action: str):  # type: ignore[no-untyped-def]
        screen = self.screen

        async def run() -> None:
            await screen.run_action(action)

        return run


class KeyCommands(TableCommands):
    """The keys of a session's screen."""

    async def _offers(self) -> AsyncIterator[tuple[str, str, str]]:
        screen = self.screen
        if not isinstance(screen, SessionScreen):
            return
        if screen.live and screen.feed.state.open_permissions:
            for key in PERMIT_KEYS:
                yield key.text, key.shown, key.action
        for key in keys_for(screen.live):
            if "{}" in key.action:
                for place in range(9):
                    yield f"{key.text}: {place + 1}", str(place + 1), key.action.format(place)
            elif key.action != "palette":
                yield key.text, key.shown, key.action
