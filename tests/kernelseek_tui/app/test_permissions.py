"""What the agent's client asks to be allowed, and how a person answers."""

import pytest

from kernelseek_tui.app import acting
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.composer import Composer
from kernelseek_tui.app.permission_bar import PermissionBar
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, story
from tests.kernelseek_tui.app.screens import SMALL, WIDE, live_app, screen_text, settle


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "SETTLE", 0.0)


def request(number: int, command: str) -> ev.PermissionRequested:
    return ev.PermissionRequested(
        id=f"p{number}", request=f"r{number}", tool="Bash", input={"command": command}
    )


def asking(*commands: str) -> FakeFeed:
    return FakeFeed([*story(), *(request(number, text) for number, text in enumerate(commands))])


def bar(app: KernelSeekApp) -> str:
    """The rows of the bar as they are drawn."""
    region = app.screen.query_one(PermissionBar).region
    rows = screen_text(app).split("\n")[region.y : region.bottom]
    return "\n".join(rows)


@pytest.mark.parametrize("size", [WIDE, SMALL, (40, 16)])
async def test_a_request_stands_above_the_composer_with_its_keys(size: tuple[int, int]) -> None:
    app = live_app(asking("rm -r build"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = bar(app)
        assert "MAY IT" in shown
        assert "Bash" in shown
        assert "rm -r build" in shown
        keys = ("y allow", "a always", "d deny…") if size[0] >= 60 else (" y ", " a ", " d ")
        for key in keys:
            assert key in shown
        assert app.screen.query_one(PermissionBar).region.bottom <= app.screen.query_one(Composer).region.y


@pytest.mark.parametrize(("key", "choice"), [("y", "allow"), ("a", "always")])
async def test_a_key_answers_the_oldest_and_the_next_comes_up(key: str, choice: str) -> None:
    feed = asking("rm -r build", "make")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert "1 of 2" in bar(app)
        await pilot.press(key)
        await settle(pilot)
        assert feed.answered == [("r0", choice, "")]
        assert "make" in bar(app)
        assert "of 2" not in bar(app)
        await pilot.press(key)
        await settle(pilot)
        assert not app.screen.query_one(PermissionBar).display


@pytest.mark.parametrize("command", ["touch bbb", "touch bbb && " * 60])
async def test_what_always_grants_is_said_before_and_after(command: str) -> None:
    feed = FakeFeed(story())
    feed.add(request(0, command).model_copy(update={"always": "Bash(touch bbb *), in this session"}))
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert "a grants Bash(touch bbb *), in this session" in bar(app)
        assert "ASKS YOU" in screen_text(app)
        await pilot.press("a")
        await settle(pilot)
        assert "Allowed: Bash(touch bbb *), in this session." in screen_text(app)
        assert "ASKS YOU" not in screen_text(app)


async def test_a_denial_is_written_and_the_draft_comes_back() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("i", "m", "y", "escape", "d")
        await pilot.pause()
        assert "the agent reads what you write here" in screen_text(app)
        assert feed.answered == []
        await pilot.press(*"keep", "enter")
        await settle(pilot)
        assert feed.answered == [("r0", "deny", "keep")]
        assert feed.asked == []
        assert app.screen.query_one(Composer).draft.text == "my"


async def test_a_denial_in_the_middle_of_an_edit_loses_neither() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", "m", "y", "escape", "1", "e", "!")
        composer = app.screen.query_one(Composer)
        edited = composer.draft.text
        await pilot.click("#permission", offset=(bar(app).index("d deny") + 2, 0))
        await pilot.press("n", "o", "enter")
        await settle(pilot)
        assert feed.answered == [("r0", "deny", "no")]
        assert composer.draft.text == edited
        assert composer.purpose.entry == "kq-host-001"
        await pilot.press("i", "enter")
        await settle(pilot)
        assert feed.asked[0][1:] == ("kq-host-001", "decision-1", True)
        assert composer.draft.text == "my"


async def test_a_denial_may_have_no_words_and_can_be_given_up() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("d", "escape")
        await pilot.pause()
        assert feed.answered == []
        await pilot.press("d", "enter")
        await settle(pilot)
        assert feed.answered == [("r0", "deny", "")]


async def test_typing_answers_nothing() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", "y", "a", "d", "escape", "slash", "y", "a", "d")
        await settle(pilot)
        assert feed.answered == []
        assert app.screen.query_one(Composer).draft.text == "yad"


async def test_a_key_pressed_as_the_request_comes_is_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "SETTLE", 3600.0)
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("y", "a", "d")
        await settle(pilot)
        assert feed.answered == []


async def test_a_denial_of_what_is_over_is_said_and_kept() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("d", "n", "o")
        feed.add(ev.TurnEnded(id="t", reason="interrupted"))
        await settle(pilot)
        assert not app.screen.query_one(PermissionBar).display
        await pilot.press("enter")
        await settle(pilot)
        assert feed.answered == []
        assert "That request is over" in screen_text(app)
        assert app.screen.query_one(Composer).draft.text == "no"


async def test_the_palette_answers_too() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("colon")
        await pilot.pause(0.2)
        await pilot.press(*"allow what the")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await settle(pilot)
        assert feed.answered == [("r0", "allow", "")]


async def test_a_click_answers() -> None:
    feed = asking("rm -r build")
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.click("#permission", offset=(bar(app).index("y allow") + 2, 0))
        await settle(pilot)
        assert feed.answered == [("r0", "allow", "")]


async def test_a_long_command_is_whole_in_the_transcript() -> None:
    command = "echo " + "0123456789 " * 60 + "&& rm -r build"
    app = live_app(asking(command))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert "all of it stands in the transcript" in bar(app)
        assert "&& rm -r build" in screen_text(app)


async def test_the_terminal_is_told_when_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        written: list[str] = []
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        feed.add(request(0, "make"))
        await settle(pilot)
        assert not any("]9;" in item for item in written)
        app.app_focus = False
        feed.add(ev.PermissionAnswered(id="a", request="r0", answer="allow"))
        feed.add(request(1, "rm -r build"))
        await settle(pilot)
        assert "\x1b]9;KernelSeek: the agent asks to use Bash: rm -r build\a" in written
