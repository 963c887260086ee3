"""The shipped JSON: read when it is what the YAML is, and never when it is not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bank.bank import Bank
from bank.errors import BankError
from bank.forms.every import source_bank
from bank.shipped import ENTRIES, SHIPPED, as_json, read_shipped, source_hash
from tests.bank.builders import entry_data, write_bank


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of YAML and the JSON made from it."""
    folder = tmp_path / "entries"
    folder.mkdir()
    write_bank(folder, entry_data(), entry_data(id="kq-host-902"))
    shutil.copy(folder / "entries.yaml", folder / "more.yaml")
    more = (folder / "more.yaml").read_text()
    (folder / "more.yaml").write_text(more.replace("kq-host-9", "kq-more-9"))
    bank = source_bank(folder)
    file = tmp_path / "bank.json"
    file.write_text(as_json(bank.entries, bank.files, bank.version, source_hash(folder)))
    return folder, file


def test_what_is_read_is_what_the_yaml_says(made: tuple[Path, Path]) -> None:
    folder, file = made
    found = read_shipped(folder, file)
    assert found is not None
    bank = source_bank(folder)
    assert found == (bank.entries, bank.files)
    assert [Path(found[1][entry.id]).name for entry in found[0]] == [
        "entries.yaml",
        "entries.yaml",
        "more.yaml",
        "more.yaml",
    ]


def test_the_shipped_json_is_the_yaml() -> None:
    found = read_shipped()
    assert found is not None, "run: python -m bank.forms"
    source = source_bank()
    assert found == (source.entries, source.files)
    assert Bank.load().version == source.version
    assert f'"version": "{source.version}"' in SHIPPED.read_text("utf-8")


def test_edited_yaml_counts_at_once(made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, file = made
    write_bank(folder, entry_data(question="How many are there?"))
    assert read_shipped(folder, file) is None
    monkeypatch.setattr("bank.bank.read_shipped", lambda: read_shipped(folder, file))
    monkeypatch.setattr("bank.bank.ENTRIES", folder)
    assert Bank.load().get("kq-host-901").question == "How many are there?"


@pytest.mark.parametrize("change", ["added", "removed", "renamed"])
def test_another_set_of_files_is_another_source(made: tuple[Path, Path], change: str) -> None:
    folder, file = made
    if change == "added":
        (folder / "new.yaml").write_text("[]\n")
    elif change == "removed":
        (folder / "more.yaml").unlink()
    else:
        (folder / "more.yaml").rename(folder / "other.yaml")
    assert read_shipped(folder, file) is None


def test_without_the_yaml_the_json_is_enough(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, file = made
    before = read_shipped(folder, file)
    shutil.rmtree(folder)
    assert read_shipped(folder, file) == before


def test_without_the_json_the_yaml_counts(tmp_path: Path) -> None:
    assert read_shipped(ENTRIES, tmp_path / "none.json") is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"schema": "1.0"', '"schema": "2.0"', "has the schema 2.0, this version reads 1.0"),
        ('"id": "kq-host-901"', '"id": "host"', "is damaged"),
        ('"entries.yaml": 2', '"entries.yaml": 3', "is damaged"),
        ('"entries": [', '"entries": [[', "is damaged"),
    ],
)
def test_a_damaged_file_is_refused(made: tuple[Path, Path], old: str, new: str, sentence: str) -> None:
    folder, file = made
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(BankError, match=sentence) as refused:
        read_shipped(folder, file)
    assert str(refused.value).startswith(str(file))


def test_entries_of_another_schema_are_not_called_damaged(made: tuple[Path, Path]) -> None:
    folder, file = made
    for text in ('{"schema": "2.0", "entries": "elsewhere"}', '{"schema": "2.0+' + "x" * 9_000 + '"}'):
        file.write_text(text)
        with pytest.raises(BankError, match=r"has the schema 2\.0.*, this version reads 1\.0") as refused:
            read_shipped(folder, file)
        assert len(str(refused.value)) < 400
    for text in ('{"schema": 2}', "[2.0]", "[" * 100_000, ""):
        file.write_text(text)
        with pytest.raises(BankError, match="is damaged"):
            read_shipped(folder, file)


def test_reading_the_shipped_bank_takes_no_reader_of_yaml() -> None:
    code = "from bank.sources import load_banks; load_banks(); import sys; print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_later_minor_version_is_read(made: tuple[Path, Path]) -> None:
    folder, file = made
    file.write_text(file.read_text().replace('"schema": "1.0"', '"schema": "1.7", "new": []'))
    assert read_shipped(folder, file) is not None
