"""The skill folder: its shape, its drift from the bank, and what it says."""

from pathlib import Path

import yaml

from bank.bank import Bank
from bank.params import fill, placeholders
from bank.question import Architecture, Group
from bank.skill import MAIN, NAME, UPSTREAM_PAGE, family_page, page_of, skill_files, write_skill
from bank.titles import FAMILIES, MOMENTS, PURPOSES, TITLES, WHEN
from sessions.vocabulary import DecisionKind
from tests.bank.builders import entry, entry_data, write_bank

SHIPPED = Path(__file__).parents[2] / "docs" / "skills"


def _read(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def test_the_shipped_folder_is_what_the_bank_gives(tmp_path: Path) -> None:
    root = write_skill(Bank.load(), tmp_path)
    assert root == tmp_path / NAME
    assert _read(root) == _read(SHIPPED / NAME), "run: python -m bank.forms"


def test_the_front_matter_keeps_the_limits_of_the_format() -> None:
    text = skill_files(Bank.load())[MAIN]
    _, front, body = text.split("---\n", 2)
    data = yaml.safe_load(front)
    assert set(data) == {"name", "description"}
    assert data["name"] == NAME
    assert len(data["name"]) <= 64
    assert 100 < len(data["description"]) <= 1024
    assert len(body.splitlines()) < 500  # the format's advice; the pages hold the rest


def test_every_question_stands_on_its_page_and_nowhere_else() -> None:
    bank = Bank.load()
    files = skill_files(bank)
    for one in bank.select():
        text = fill(one.question, {})
        assert not placeholders(text)
        pages = {family_page(family) for family in one.architectures}
        rest = UPSTREAM_PAGE if one.needs_upstream else page_of(one.group)
        assert {path for path, page in files.items() if f"**{text}**" in page} == (pages or {rest})


def test_every_page_is_short_enough_to_be_loaded_whole() -> None:
    for path, text in skill_files(Bank.load()).items():
        assert len(text.splitlines()) < 500, path


def test_pages_say_what_an_entry_is_for() -> None:
    files = skill_files(Bank.load())
    both = entry(architectures=["hopper", "cdna"], needs_upstream=True)
    pages = skill_files(Bank((both,)))
    assert set(pages) == {MAIN, "architectures/hopper.md", "architectures/cdna.md"}
    assert "- for: hopper, cdna\n- needs another implementation" in pages["architectures/cdna.md"]
    assert "- needs another implementation" in files[UPSTREAM_PAGE]
    assert not any("- for: " in files[page_of(group)] for group in Group)
    assert "they are experimental" in pages["architectures/hopper.md"]
    tried = skill_files(Bank((entry(status="stable"),)))[page_of(Group.HOST)]
    assert "experimental" not in tried


def test_every_link_leads_to_a_page_and_every_page_is_linked() -> None:
    files = skill_files(Bank.load())
    for path in files:
        assert path == MAIN or f"]({path})" in files[MAIN]
    linked = {part.split(")")[0] for part in files[MAIN].split("](")[1:]}
    assert linked <= set(files)


def test_every_group_and_moment_has_its_words() -> None:
    assert set(TITLES) == set(PURPOSES) == set(Group)
    assert set(MOMENTS) == set(WHEN) == set(DecisionKind)
    assert set(FAMILIES) == set(Architecture)


def test_what_the_skill_asks_of_an_agent() -> None:
    text = " ".join(skill_files(Bank.load())[MAIN].split())
    for words in (
        "`host`",
        "`routing`",
        "`kernel`",
        "before you touch code",
        "A limit stands only after you have tried to disprove it",
        "load **one** page",
        "does not return a patch",
    ):
        assert words in text


def test_another_bank_leaves_no_page_of_the_last_one_behind(tmp_path: Path) -> None:
    write_skill(Bank.load(), tmp_path / "skills")
    small = Bank.load(write_bank(tmp_path, entry_data()))
    root = write_skill(small, tmp_path / "skills")
    assert _read(root) == skill_files(small)
    assert len(_read(root)) == 2
