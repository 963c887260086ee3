"""The sessions that come with the program: they open, they are what their manifests say, they tell nobody."""

import re
from pathlib import Path

import pytest

from sessions.archive import listing
from sessions.archive.exporting import Exported, events_for_export
from sessions.archive.finding import BUNDLED, all_bundled, bundled, by_id
from sessions.archive.manifest import SUFFIX, Manifest, read_manifest
from sessions.archive.redactor import Redactor
from sessions.errors import RefusedInput
from sessions.readers.opening import open_utf8
from sessions.state import fold
from sessions.transcript import open_transcript

MANIFESTS = list(all_bundled())
each = pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.id)


def test_every_file_has_a_manifest_and_the_whole_is_small() -> None:
    files = {path.name for path in BUNDLED.iterdir()}
    assert files == {name for one in MANIFESTS for name in (one.file, f"{one.id}{SUFFIX}")}
    assert len(MANIFESTS) >= 3
    assert sum((BUNDLED / name).stat().st_size for name in files) < 200_000


@each
def test_it_is_what_its_manifest_says(manifest: Manifest) -> None:
    path = manifest.check(BUNDLED)
    assert path.stat().st_size == manifest.bytes
    state = fold(open_transcript(path).events)
    assert state.count == manifest.events
    assert not state.problems
    assert state.started is not None
    assert (state.started.time, state.rehearsed) == (manifest.recorded, manifest.rehearsed)
    assert (state.started.questioner, state.started.operator) == (manifest.questioner, manifest.operator)
    assert manifest.versions.items() >= {
        (name, version) for name, version in state.started.versions.items() if name != "seed"
    }
    assert state.started.versions["seed"] == manifest.seed
    assert f"--seed {manifest.seed} --questioner {manifest.questioner}" in manifest.command
    assert state.best is not None
    assert state.best.event.counts


@each
def test_it_holds_no_home_path_key_or_address(manifest: Manifest) -> None:
    path = BUNDLED / manifest.file
    with open_utf8(path) as file:
        text = file.read().decode()
    for what in (
        r"/home/\w",
        r"/Users/\w",
        r"/root\b",
        r"\bsk-\w",
        r"\w@[\w-]+\.[a-z]",
        r"BEGIN [A-Z ]*PRIVATE",
    ):
        assert re.search(what, text) is None, what
    told = Exported()
    list(events_for_export(path, Redactor(), told))
    assert told.redacted == {}


@each
def test_it_opens_by_its_name(manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert by_id(manifest.id) == BUNDLED / manifest.file
    assert open_transcript(manifest.id).format.name == "kernelseek"


def test_the_list_checks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = MANIFESTS[0]
    monkeypatch.setattr(listing, "BUNDLED", tmp_path)
    (tmp_path / one.file).write_bytes((BUNDLED / one.file).read_bytes() + b"x")
    rows = {row.id: row for row in listing.bundled_rows()}
    assert "its sha256 differs" in rows[one.id].wrong


@pytest.mark.parametrize("name", ["../x", "nope", "a/b", ""])
def test_no_other_name_is_one(name: str) -> None:
    assert bundled(name) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"schema_version": 2}',
        MANIFESTS[0].model_dump_json().replace(MANIFESTS[0].file, "../../etc/passwd"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(RefusedInput, match="is no manifest"):
        read_manifest(tmp_path / "m.json")
