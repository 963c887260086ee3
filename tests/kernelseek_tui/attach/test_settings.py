"""The person's settings come back byte for byte, whatever they looked like."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.attach.attachment import Attachment, Taken
from kernelseek_tui.attach.cleanup import clean
from kernelseek_tui.attach.merge import Tag, merged, our_hooks, tags_in, without
from kernelseek_tui.attach.settings import SettingsError
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, locked
from kernelseek_tui.hooks.program import CAP_NAME
from sessions.journal import Journal
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.attach.projects import ONE, PROGRAM, TWO, Project

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
commands = st.builds(lambda text: {"type": "command", "command": text, "timeout": 5}, texts)
groups = st.builds(
    lambda hooks, matcher: {"matcher": matcher, "hooks": hooks}, st.lists(commands, max_size=2), texts
)
hooks = st.dictionaries(
    st.sampled_from(["Stop", "PostToolUse", "SessionStart", "PreCompact"]), st.lists(groups, max_size=2)
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Settings as editors and people leave them."""
    data: dict[str, Any] = draw(st.dictionaries(texts, values, max_size=3))
    data.pop("hooks", None)
    data.pop("env", None)
    if draw(st.booleans()):
        data["hooks"] = draw(hooks)
    if draw(st.booleans()):
        data["env"] = draw(st.dictionaries(texts, texts, max_size=2))
    text = json.dumps(
        data,
        indent=draw(st.sampled_from([None, 0, 1, 2, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :  ")])),
    )
    text = draw(st.sampled_from(["", " ", "\n\n\t"])) + text + draw(st.sampled_from(["", "\n", "\n\n  "]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


@settings(max_examples=60, deadline=None)
@given(files(), st.booleans())
def test_every_byte_comes_back(data: bytes, two: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), data)
        project.install()
        if two:
            project.install(TWO)
            assert project.tags() == [ONE, TWO]
            project.remove(ONE)
            assert project.tags() == [TWO]
        assert project.path.read_bytes() != data
        project.remove(TWO if two else ONE)
        assert project.path.read_bytes() == data
        assert not list((project.home / "attached" / "settings").glob("*.json"))


@settings(max_examples=60, deadline=None)
@given(files())
def test_what_others_wrote_meanwhile_stays_and_ours_goes(data: bytes) -> None:
    before = json.loads(data)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), data)
        project.install()
        now = json.loads(project.path.read_bytes())
        project.path.write_text(json.dumps({**now, "permissions": {"allow": ["Bash(ls)"]}}))
        assert "only our hooks" in project.remove()
        after = json.loads(project.path.read_bytes())
        assert after.pop("permissions") == {"allow": ["Bash(ls)"]}
        before.pop("permissions", None)
        assert _without_empty(after) == _without_empty(before)


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """Empty lists of hooks and the objects around them mean nothing."""
    kept = {event: groups for event, groups in data.get("hooks", {}).items() if groups}
    return {**{k: v for k, v in data.items() if k != "env" or v}, "hooks": kept}


def test_a_rewrite_that_says_the_same_gives_the_bytes_back(tmp_path: Path) -> None:
    data = b'{ "permissions" : {"allow":[ "Bash(ls)"]} }'
    project = Project(tmp_path, data)
    project.install()
    project.path.write_text(json.dumps(json.loads(project.path.read_bytes())))
    assert "says the same" in project.remove()
    assert project.path.read_bytes() == data


def test_where_there_was_nothing_there_is_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.install()
    assert project.tags() == [ONE]
    project.remove()
    assert not project.path.parent.exists()


def test_a_folder_of_theirs_and_what_came_into_ours_stay(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.install()
    (project.path.parent / "notes.md").write_text("theirs")
    project.remove()
    assert not project.path.exists()
    assert (project.path.parent / "notes.md").read_text() == "theirs"


def test_mode_and_own_block_cap_stay(tmp_path: Path) -> None:
    project = Project(tmp_path, b'{"env": {"%s": "12"}}' % CAP_NAME.encode())
    project.path.chmod(0o600)
    project.install()
    assert json.loads(project.path.read_bytes())["env"][CAP_NAME] == "12"
    project.remove()
    assert project.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"// no\n{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b'{"env": 1}',
    ],
)
def test_what_is_no_settings_is_refused_and_left_alone(tmp_path: Path, data: bytes) -> None:
    project = Project(tmp_path, data)
    with pytest.raises(SettingsError, match=r"left alone"):
        project.install()
    assert project.path.read_bytes() == data
    assert not list((project.home / "attached" / "settings").glob("*.json"))


@pytest.mark.parametrize("kind", ["file", "folder", "hard"])
def test_a_link_is_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    project = Project(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "settings.local.json").write_bytes(b"{}")
    if kind == "folder":
        project.path.parent.symlink_to(elsewhere)
    else:
        project.path.parent.mkdir()
        link = os.link if kind == "hard" else os.symlink
        link(elsewhere / "settings.local.json", project.path)
    with pytest.raises(SettingsError, match=r"left alone"):
        project.settings.check()
    with pytest.raises(SettingsError, match=r"left alone"):
        project.install()
    assert (elsewhere / "settings.local.json").read_bytes() == b"{}"


def test_a_folder_that_cannot_be_written_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path)

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("kernelseek_tui.attach.settings.replace_file", denied)
    with pytest.raises(SettingsError, match="Permission denied"):
        project.install()
    assert not project.path.parent.exists()
    assert not list((project.home / "attached" / "settings").glob("*.json"))


def test_every_hook_is_tagged_and_registered_for_failures_too() -> None:
    tag = Tag(Path("/state of mine/home"), ONE)
    added = our_hooks(PROGRAM, tag)
    assert {"PostToolUse", "PostToolUseFailure", "Stop"} <= set(added)
    after = merged(
        {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make check"}]}]}}, PROGRAM, [tag]
    )
    assert tags_in(after) == [tag]
    assert without(after, [tag]) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make check"}]}]}
    }


# Crashes.

VICTIM = """
import sys, time
from pathlib import Path
from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.discover import running_sessions
running = running_sessions(Path(sys.argv[1]))[0]
Attachment(running, Path(sys.argv[2]), "copilot", goal=True).open()
print("open", flush=True)
time.sleep(60)
"""


def killed(client: Client, home: Path) -> None:
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(client.home), str(home)], stdout=subprocess.PIPE, text=True
    )
    assert victim.stdout is not None
    assert victim.stdout.readline() == "open\n"
    assert clean(home, [client.cwd]) == ([], [])  # it lives: nothing is touched
    victim.kill()
    victim.wait()


@pytest.mark.parametrize("data", [None, b'{"permissions":{}}', b"{ }\r\n"])
def test_cleanup_after_kill_nine(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | None
) -> None:
    home = tmp_path / "home"
    path = client.cwd / ".claude" / "settings.local.json"
    if data is not None:
        path.parent.mkdir()
        path.write_bytes(data)
    killed(client, home)
    assert path.read_bytes() != data
    done, failed = clean(home, [])
    assert failed == []
    assert "as it was before" in done[0]
    assert (path.read_bytes() if path.exists() else None) == data
    again, failed = clean(home, [client.cwd])
    assert failed == []
    assert [("stays, empty" in one) for one in again] == ([True] if data is None else [])
    # The client, this very process, lives: its folder goes when it has ended.
    monkeypatch.setattr("kernelseek_tui.attach.living.alive", lambda _: False)
    clean(home, [])
    assert path.parent.exists() == (data is not None)
    assert clean(home, [client.cwd]) == ([], [])


@pytest.mark.parametrize("step", ["part", "folder"])
def test_a_copilot_killed_while_it_wrote_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    project = Project(tmp_path)

    def dies(path: Path, data: bytes, mode: int) -> None:
        if step == "part":
            path.with_name(f".{path.name}.kernelseek").write_bytes(data[:10])
        raise SystemExit  # nothing of ours is tidied up on the way out

    with monkeypatch.context() as patch:
        patch.setattr("kernelseek_tui.attach.settings.replace_file", dies)
        with pytest.raises(SystemExit):
            project.install()
    assert project.path.parent.exists()
    project.remove()
    assert not project.path.parent.exists()


def test_cleanup_when_the_state_folder_is_gone(client: Client, tmp_path: Path) -> None:
    import shutil

    path = client.cwd / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    path.chmod(0o600)
    killed(client, tmp_path / "lost")
    shutil.rmtree(tmp_path / "lost")
    done, failed = clean(tmp_path / "home", [client.cwd / "deeper"])
    assert (len(done), failed) == (1, [])
    assert json.loads(path.read_bytes()) == {"permissions": {"allow": ["Bash(ls)"]}}
    assert path.stat().st_mode & 0o777 == 0o600


def test_cleanup_from_another_state_folder_uses_the_record(client: Client, tmp_path: Path) -> None:
    path = client.cwd / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_bytes(b'{ "a":1 }')
    killed(client, tmp_path / "other")
    clean(tmp_path / "home", [client.cwd])
    assert path.read_bytes() == b'{ "a":1 }'


def test_attaching_again_after_a_crash_still_gives_the_bytes_back(client: Client, tmp_path: Path) -> None:
    path = client.cwd / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_bytes(b'{"a":1}')
    killed(client, tmp_path / "home")
    again = Attachment(client.running, tmp_path / "home", "k2", goal=True)
    again.check()
    again.open()
    again.close()
    assert path.read_bytes() == b'{"a":1}'


def test_two_copilots_on_one_session(client: Client, tmp_path: Path) -> None:
    first = Attachment(client.running, tmp_path / "home", "k1", goal=True)
    second = Attachment(client.running, tmp_path / "home", "k2", goal=True)
    first.open()
    before = (client.cwd / ".claude" / "settings.local.json").read_bytes()
    for refused in (second.check, second.open):
        with pytest.raises(Taken, match="another KernelSeek"):
            refused()
    second.close()
    assert (client.cwd / ".claude" / "settings.local.json").read_bytes() == before
    first.close()
    assert not (client.cwd / ".claude" / "settings.local.json").exists()


def test_a_refused_attachment_leaves_no_binding(client: Client, tmp_path: Path) -> None:
    (client.cwd / ".claude").mkdir()
    (client.cwd / ".claude" / "settings.local.json").write_text("no")
    attachment = Attachment(client.running, tmp_path / "home", "k1", goal=True)
    with pytest.raises(SettingsError):
        attachment.open()
    box = Mailbox(tmp_path / "home", client.session)
    assert box.binding() is None
    with locked(box.lock) as free:
        assert free


def test_cleanup_leaves_a_client_alone_that_a_living_copilot_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("KERNELSEEK_HOME", str(home))
    box = Mailbox(home, "of-the-client")
    with Journal.of("of-ours"):
        box.bind(Binding("of-ours", str(tmp_path), lock=False))
        clean(home, [])
        assert box.binding() is not None
    clean(home, [])
    assert box.binding() is None
    assert box.marked("detached")
    os.utime(box.folder, (1, 1))  # nobody knows its client's process; a day later it is forgotten
    clean(home, [])
    assert not box.folder.exists()
