"""The generated forms: no drift, and what the pages say."""

import json
import re
from pathlib import Path

import pytest

from bank.bank import Bank
from bank.forms.__main__ import main
from bank.forms.every import form_files, stale, stale_here, write_forms
from bank.forms.markdown import address, entry_lines, escape, link
from bank.forms.pages import INDEX, page_files, pages_of
from bank.shipped import CHECKOUT
from tests.bank.builders import entry, entry_data, write_bank

HOPPER = {"architectures": ["hopper"], "sources": [{"ref": "a/b#1", "lesson": "l", "seen": "2026-11-29"}]}


def test_the_forms_in_the_repository_are_what_the_yaml_gives() -> None:
    assert stale(CHECKOUT) == [], "run: python -m bank.forms"


def test_an_installed_package_has_nothing_to_be_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bank.forms.every.CHECKOUT", tmp_path)
    assert stale_here() == []
    (tmp_path / "pyproject.toml").touch()
    assert "bank/bank.json" in stale_here()


def test_writing_is_done_once_and_cleans_up(tmp_path: Path) -> None:
    folder = tmp_path / "entries"
    folder.mkdir()
    (tmp_path / "pyproject.toml").touch()
    write_bank(folder, entry_data(), entry_data(id="kq-hopper-001", **HOPPER))
    assert set(write_forms(tmp_path, folder)) == set(form_files(folder))
    assert main(["--check"], tmp_path, folder) == 0
    assert write_forms(tmp_path, folder) == []
    write_bank(folder, entry_data())
    assert main(["--check"], tmp_path, folder) == 1
    gone = {"docs/bank/hopper.md", "docs/skills/kernelseek/architectures/hopper.md"}
    assert gone < set(stale(tmp_path, folder))
    assert main([], tmp_path, folder) == 0
    assert not any((tmp_path / path).exists() for path in gone)
    (tmp_path / "docs/bank" / INDEX).write_text("by hand")
    assert stale(tmp_path, folder) == [f"docs/bank/{INDEX}"]


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fast"], tmp_path, tmp_path) == 2
    assert main([], tmp_path, tmp_path) == 3
    (tmp_path / "pyproject.toml").touch()
    assert main([], tmp_path, tmp_path) == 3
    assert "holds no *.yaml file" in capsys.readouterr().err


def test_json_names_its_schema_version_and_files() -> None:
    text = form_files()["bank/bank.json"]
    data = json.loads(text)
    bank = Bank.load()
    assert (data["schema"], data["version"]) == ("1.0", bank.version)
    assert sum(data["files"].values()) == len(data["entries"]) == len(bank.entries)
    assert {"id", "question", "measurement", "architectures"} < set(data["entries"][0])
    assert len(text.splitlines()) < len(bank.entries) + 10  # an entry is a line: changes stay readable


def test_every_entry_stands_on_its_page_and_on_each_of_its_families() -> None:
    bank = Bank.load()
    pages = {page.name: page for page in pages_of(bank)}
    for one in bank.entries:
        on = {name for name, page in pages.items() if one in page.entries}
        families = {f"{family}.md" for family in one.architectures}
        rest = "needs-another-implementation.md" if one.needs_upstream else f"{one.group}.md"
        assert on == (families or {rest})


def test_pages_hold_all_of_an_entry() -> None:
    bank = Bank.load()
    for page in pages_of(bank):
        text = page_files(bank)[page.name]
        for one in page.entries:
            assert text.count(f"\n## {one.id}\n") == 1
            for part in (one.measurement.method, one.measurement.number, one.answered_when):
                assert escape(part) in text
            for source in one.sources:
                assert f"]({address(source.ref)})" in text.replace("%28", "(").replace("%29", ")")
                assert escape(source.lesson) in text


def test_links_inside_the_pages_lead_somewhere() -> None:
    files = page_files(Bank.load())
    for text in files.values():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if not target.startswith("https://"):
                name = target.split("#")[0]
                assert name in files or name == "../bank.md"
    assert all(f"]({name})" in files[INDEX] for name in files if name != INDEX)
    assert (CHECKOUT / "docs" / "bank.md").is_file()


def test_a_related_entry_is_linked_on_its_page() -> None:
    heir = entry(id="kq-host-902")
    old = entry(status="deprecated", related=[{"id": "kq-host-902", "type": "merged"}])
    text = page_files(Bank((old, heir)))["host-and-launch-path.md"]
    assert "merged with [kq-host-902](host-and-launch-path.md#kq-host-902)" in text
    assert text.startswith("# Host and launch path")
    assert "1 question for" in text
    assert text.index("## kq-host-902") < text.index("Deprecated:") < text.index("## kq-host-901")


def test_what_an_asking_led_to_is_told() -> None:
    seen = {"session": "s1", "event": "e4", "before": "kernel", "after": ["host", "routing"], "number": True}
    more = {"change": 1.25, "matched": 1.0, "claim": "fallen_before", "rehearsed": True}
    bare = {"session": "s2", "event": "e1", "number": False}
    text = "\n".join(entry_lines(entry(evidence=[seen | more, bare]), {}))
    assert "a number came back; kernel -\\> host, routing; the claim: fallen before; " in text
    assert "best score times 1.25 (unasked 1.00); of a scripted agent, which shows nothing" in text
    assert "  - no number came back (s2, e1)" in text
    assert "Asked in a session" not in "\n".join(entry_lines(entry(), {}))


def test_text_of_entries_is_shown_and_not_obeyed() -> None:
    hostile = "a *b* <script> `c` [d](e) | _f_ g_h"
    text = "\n".join(entry_lines(entry(answered_when=hostile), {}))
    assert r"a \*b\* \<script\> \`c\` \[d\](e) \| \_f\_ g_h" in text


@pytest.mark.parametrize(
    ("ref", "made"),
    [
        ("a/b.c#12", "[a/b.c#12](https://github.com/a/b.c/issues/12)"),
        ("https://x.org/a_(b)/?q=1", r"[x.org/a\_(b)](https://x.org/a_%28b%29/?q=1)"),
    ],
)
def test_sources_are_links(ref: str, made: str) -> None:
    assert link(ref) == made
