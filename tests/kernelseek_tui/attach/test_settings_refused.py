"""Settings that cannot be given back as they were are not touched, and one sentence says what to do."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.attach.cleanup import clean
from kernelseek_tui.attach.jsontext import dump, load
from kernelseek_tui.attach.settings import SettingsError
from kernelseek_tui.cli.attach import attach
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.attach.projects import ONE, TWO, Project

UNKEPT = [
    (b'{"a": 1e400}', "too large"),
    (b'{"a": [-1e999]}', "too large"),
    (b'{"a": %s}' % (b"7" * 5000), "5000 digits"),
    (b'{"a": NaN}', "NaN"),
    (b'{"a": -Infinity}', "Infinity"),
    (b'{"env": {"A": "1", "A": "2"}}', "'A' twice"),
    (b'{"a": 1, "a": 1}', "'a' twice"),
]


@pytest.mark.parametrize(("data", "why"), UNKEPT)
def test_what_would_be_written_back_as_something_else_is_left_alone(
    tmp_path: Path, data: bytes, why: str
) -> None:
    project = Project(tmp_path, data)
    for refused in (project.settings.check, project.install):
        with pytest.raises(SettingsError, match=why) as raised:
            refused()
        assert "left alone" in str(raised.value)
    assert project.path.read_bytes() == data
    assert project.records == []


@pytest.mark.parametrize(("data", "why"), UNKEPT)
def test_such_a_file_is_also_left_alone_when_we_leave(tmp_path: Path, data: bytes, why: str) -> None:
    project = Project(tmp_path, b"{}")
    project.install()
    ours = project.path.read_bytes().strip()
    theirs = ours[:-1] + b"," + data[1:]
    project.path.write_bytes(theirs)
    with pytest.raises(SettingsError, match="remove them by hand"):
        project.remove()
    assert project.path.read_bytes() == theirs
    (failed,) = clean(project.home, [])[1]
    assert "left alone" in failed
    assert project.path.read_bytes() == theirs


def test_cleanup_fails_aloud_over_hooks_it_cannot_take_out(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = Project(client.cwd, b"{}")
    project.install()
    project.path.write_bytes(project.path.read_bytes().strip()[:-1] + b',"a":NaN}')
    monkeypatch.chdir(client.cwd)
    done = CliRunner().invoke(attach, ["--cleanup"], standalone_mode=False)
    assert done.return_value == 3
    assert "NaN" in done.output


def test_cleanup_says_nothing_of_a_broken_file_that_is_not_ours(tmp_path: Path) -> None:
    project = Project(tmp_path, b"// mine")
    assert clean(project.home, [tmp_path]) == ([], [])


def test_numbers_and_names_that_are_kept() -> None:
    data = b'{"a": 1e308, "b": 12345678901234567890123, "c": {"a": -0.5}}'
    assert load(dump(load(data), data)) == load(data)
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump({"a": float("nan")}, None)


# Read-only.


@pytest.mark.parametrize("what", ["file", "folder", "project"])
def test_read_only_settings_are_refused(tmp_path: Path, what: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    project = Project(root, None if what == "project" else b"{ }")
    locked = {"file": project.path, "folder": project.path.parent, "project": root}[what]
    project.settings._home = tmp_path / "home"
    project.settings._record = tmp_path / "home" / "attached" / "settings" / "r.json"
    mode = locked.stat().st_mode & 0o777
    locked.chmod(mode & 0o555)
    try:
        for refused in (project.settings.check, project.install):
            with pytest.raises(SettingsError, match="not writable"):
                refused()
        assert project.path.exists() == (what != "project")
        assert not project.settings._record.exists()
    finally:
        locked.chmod(mode)


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("before", [b'{ "a":1 }', None])
def test_settings_made_read_only_while_attached(tmp_path: Path, what: str, before: bytes | None) -> None:
    project = Project(tmp_path, before)
    project.install()
    ours = project.path.read_bytes()
    locked = project.path if what == "file" else project.path.parent
    mode = locked.stat().st_mode & 0o777
    locked.chmod(mode & 0o555)
    with pytest.raises(SettingsError, match="--cleanup") as raised:
        project.remove()
    assert project.path.read_bytes() == ours
    copies = [path for path in project.records if path.suffix == ".before"]
    assert [path.read_bytes() for path in copies] == ([] if before is None else [before])
    assert all(str(path) in str(raised.value) for path in copies)
    assert clean(project.home, [])[1] == [str(raised.value)]
    locked.chmod(mode)
    assert clean(project.home, [])[1] == []
    assert (project.path.read_bytes() if project.path.exists() else None) == before
    assert project.records == []


# Records that are damaged.


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": half,
    "empty": lambda data: b"",
    "no base64": lambda data: data.replace(b'"original": "', b'"original": "='),
    "a list": lambda data: b"[" + data + b"]",
    "another shape": lambda data: data.replace(b'"sessions": [', b'"sessions": [7,'),
}


@pytest.mark.parametrize("how", list(DAMAGES))
def test_cleanup_with_a_damaged_record_goes_by_the_tags(tmp_path: Path, how: str) -> None:
    project = Project(tmp_path, b'{ "permissions": {"allow": []} }\n')
    project.path.chmod(0o600)
    project.install()
    (record,) = project.records
    record.write_bytes(DAMAGES[how](record.read_bytes()))
    folders = [tmp_path] if how == "empty" else []  # nothing of it says where the project is
    done, failed = clean(project.home, folders)
    assert failed == []
    assert "by their tags" in done[0]
    assert json.loads(project.path.read_bytes()) == {"permissions": {"allow": []}}
    assert project.path.stat().st_mode & 0o777 == 0o600
    assert project.records == []
    assert clean(project.home, [tmp_path]) == ([], [])


def test_a_damaged_record_that_names_no_project_is_said(tmp_path: Path) -> None:
    project = Project(tmp_path, b"{}")
    project.install()
    (record,) = project.records
    record.write_bytes(b"")
    (failed,) = clean(project.home, [])[1]
    assert str(record) in failed
    assert project.tags() == [ONE]


def test_another_sessions_hooks_stay_when_the_record_is_damaged(tmp_path: Path) -> None:
    project = Project(tmp_path, b'{"a":1}')
    project.install()
    project.install(TWO)
    (record,) = project.records
    record.write_bytes(half(record.read_bytes()))
    with pytest.raises(SettingsError, match="--cleanup"):
        project.install("33333333-cccc")
    project.remove(ONE)
    assert project.tags() == [TWO]
    project.remove(TWO)
    assert json.loads(project.path.read_bytes()) == {"a": 1}
    assert project.records == []


def test_hooks_are_all_that_is_left_when_the_record_is_damaged(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.install()
    (record,) = project.records
    record.write_bytes(half(record.read_bytes()))
    project.remove()
    assert not project.path.parent.exists()
