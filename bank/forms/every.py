"""All forms of the shipped bank together: what they should be, what differs, and writing them."""

from collections.abc import Iterator
from pathlib import Path

from bank.bank import Bank
from bank.errors import BankError
from bank.forms.pages import page_files
from bank.reading import read_entries
from bank.shipped import CHECKOUT, ENTRIES, as_json, source_hash
from bank.skill import NAME, skill_files

_PAGES, _SKILL, _JSON = "docs/bank", f"docs/skills/{NAME}", "bank/bank.json"


def source_bank(folder: Path = ENTRIES) -> Bank:
    """The bank as its YAML has it. Raises `BankError`."""
    reading = read_entries(folder)
    if reading.problems:
        raise reading.problems[0]
    return Bank(tuple(reading.entries), reading.files)


def form_files(folder: Path = ENTRIES) -> dict[str, str]:
    """Every generated file, path in the checkout with `/` to text. Raises `BankError`."""
    bank = source_bank(folder)
    files = {_JSON: as_json(bank.entries, bank.files, bank.version, source_hash(folder))}
    files |= {f"{_PAGES}/{name}": text for name, text in page_files(bank).items()}
    return files | {f"{_SKILL}/{path}": text for path, text in skill_files(bank).items()}


def stale(checkout: Path, folder: Path = ENTRIES) -> list[str]:
    """The generated files of a checkout that are missing, differ, or should be gone. Raises `BankError`."""
    files = form_files(folder)
    old = [path for path, text in files.items() if _text(checkout / path) != text]
    return sorted([*old, *_left_over(checkout, files)])


def stale_here() -> list[str]:
    """As `stale`, of the checkout that runs; nothing in an installed package, which has no such files."""
    return stale(CHECKOUT) if (CHECKOUT / "pyproject.toml").is_file() else []


def write_forms(checkout: Path, folder: Path = ENTRIES) -> list[str]:
    """Make a checkout's generated files what they should be; those that changed.

    Raises `BankError` and `OSError`.
    """
    files = form_files(folder)
    changed = stale(checkout, folder)
    for path in changed:
        file = checkout / path
        if path in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(files[path], encoding="utf-8")
        else:
            file.unlink()
    return changed


def _left_over(checkout: Path, files: dict[str, str]) -> Iterator[str]:
    for form in (_PAGES, _SKILL):
        for file in (checkout / form).rglob("*.md"):
            path = file.relative_to(checkout).as_posix()
            if path not in files:
                yield path


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BankError(f"cannot be read ({error}), remove it", file=str(file)) from error
