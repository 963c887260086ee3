from pathlib import Path

import pytest

from kernelseek_tui.annotate.label_file import LabelFile, default_path
from sessions.errors import LockedSession, RefusedInput, StorageError
from sessions.labels import read_labels, write_labels
from tests.sessions.test_labels import label


def test_a_file_is_made_with_the_first_label_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ada.jsonl"
    file = LabelFile(path, "ada")
    assert not path.exists()
    file.save([label()])
    assert read_labels(path) == [label()]
    file.close()
    file.close()
    again = LabelFile(path, "ada")
    assert again.labels == [label()]
    again.close()


def test_nobody_sees_anothers_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_labels(path, [label()])
    before = path.read_bytes()
    with pytest.raises(RefusedInput, match=r"holds labels by ada, which ben must not see; .* --labels"):
        LabelFile(path, "ben")
    assert path.read_bytes() == before
    LabelFile(path, "ada").close()  # the refusal left no lock behind


def test_two_screens_never_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    file = LabelFile(path, "ada")
    with pytest.raises(LockedSession, match="labelled into by another process"):
        LabelFile(path, "ada")
    file.close()
    LabelFile(path, "ada").close()


def test_a_damaged_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(label().model_dump_json() + "\n{", encoding="utf-8")
    with pytest.raises(RefusedInput, match="line 1"):
        LabelFile(path, "ada")
    assert path.read_text(encoding="utf-8").endswith("\n{")


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="Labels cannot be kept in"):
        LabelFile(tmp_path / "file" / "labels.jsonl", "ada")


def test_transcripts_are_named_from_the_files_folder(tmp_path: Path) -> None:
    file = LabelFile(tmp_path / "labels" / "ada.jsonl", "ada")
    assert file.reference(tmp_path / "traces" / "run.jsonl") == "../traces/run.jsonl"
    file.close()


@pytest.mark.parametrize(
    ("name", "file"),
    [("ada", "ada.jsonl"), ("../../x", "-..-x.jsonl"), ("...", "annotator.jsonl"), ("a b", "a-b.jsonl")],
)
def test_a_name_makes_a_file_name(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path))
    assert default_path(name) == tmp_path / "labels" / file
