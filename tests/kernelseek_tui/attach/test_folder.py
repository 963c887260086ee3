"""The `.claude` that we made stays for a living client; what was cleaned up leaves its hooks quiet."""

import io
import json
from pathlib import Path

import pytest

from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.cleanup import clean
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, Question
from kernelseek_tui.hooks.run import answer
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.attach.projects import ONE, Project


def attachment(client: Client, home: Path) -> Attachment:
    return Attachment(client.running, home, "k", goal=False)


def test_our_folder_stays_empty_while_the_client_lives_and_goes_after(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = tmp_path / "home", client.cwd / ".claude"
    for _ in range(2):
        held = attachment(client, home)
        held.open()
        held.close()
        assert list(folder.iterdir()) == []
        assert [str(folder) in one for one in held.said] == [True, True]
        assert "stays, empty" in held.said[1]
    monkeypatch.setattr("kernelseek_tui.attach.living.alive", lambda _: False)
    elsewhere = Project(tmp_path / "elsewhere")
    elsewhere.folder.mkdir()
    other = attachment(client, home)
    other.settings = elsewhere.settings
    other.open()  # the next attachment, wherever it is
    assert not folder.exists()
    other.close()


def test_what_others_put_there_meanwhile_stays(client: Client, tmp_path: Path) -> None:
    home, path = tmp_path / "home", client.cwd / ".claude" / "settings.local.json"
    held = attachment(client, home)
    held.open()
    held.close()
    path.write_text("{theirs")
    assert clean(home, []) == ([], [])
    assert clean(home, []) == ([], [])
    assert path.read_text() == "{theirs"
    path.write_text('{ "a": 1}')
    held = attachment(client, home)
    held.open()
    held.close()
    assert path.read_text() == '{ "a": 1}'


def test_a_folder_of_the_persons_is_never_removed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.path.parent.mkdir()
    project.install(ONE)
    project.remove(ONE)
    assert project.path.parent.is_dir()
    assert project.records == []


def test_cleanup_keeps_the_folder_of_a_client_that_it_knows_nothing_of(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.install(ONE)
    done, _ = clean(project.home, [], [tmp_path])
    assert "stays, empty" in done[-1]
    assert project.path.parent.is_dir()
    clean(project.home, [])
    assert not project.path.parent.exists()


def test_hooks_that_the_client_still_has_in_mind_are_quiet_after_cleanup(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copilot was killed in the middle of a turn, and cleaned up after before that turn ended."""
    home = tmp_path / "home"
    box = Mailbox(home, client.session)
    box.bind(Binding("k", str(client.cwd), client_pid=client.running.pid))
    box.lock.touch()
    box.put(Question("q", "Why?"))
    clean(home, [])
    given = {"session_id": client.session, "cwd": str(client.cwd), "stop_hook_active": False}
    for name in ("post-tool-use", "stop", "session-end"):
        assert answer(name, io.BytesIO(json.dumps(given).encode()), home, client.session) == {}
    assert not list(home.rglob("queue/*"))
    monkeypatch.setattr("kernelseek_tui.attach.living.alive", lambda _: False)
    clean(home, [])
    assert not box.folder.exists()
