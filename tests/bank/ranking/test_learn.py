"""`python -m bank.ranking.learn` on what is no file of labels: one sentence and a code."""

from pathlib import Path

import pytest

from bank.ranking.learn import main

LABELS = Path(__file__).with_name("states.json")


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "{}", '{"states": [1]}', '{"states": [{"groups": ["x"]}]}']
)
def test_what_is_no_file_of_labels_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labels.json"
    file.write_text(text, encoding="utf-8")
    assert main([str(file)]) == 3
    assert main([str(tmp_path / "nowhere")]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 2


def test_usage_and_labels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert main([str(LABELS)]) == 0
    assert "shares:" in capsys.readouterr().out
