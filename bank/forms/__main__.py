"""Makes every generated form of the shipped bank in a checkout from its YAML.

python -m bank.forms            write what differs, and name it
python -m bank.forms --check    write nothing; end 1 when something differs
"""

import sys
from pathlib import Path

from bank.errors import BankError
from bank.forms.every import stale, write_forms
from bank.shipped import CHECKOUT, ENTRIES


def main(arguments: list[str], checkout: Path = CHECKOUT, folder: Path = ENTRIES) -> int:
    """Run the command: 0, 1 when `--check` finds a difference, 2 for another argument, 3 for a bad bank."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m bank.forms [--check]", file=sys.stderr)
        return 2
    if not (checkout / "pyproject.toml").is_file():
        print("the forms are made in a checkout; this is an installed package", file=sys.stderr)
        return 3
    try:
        changed = stale(checkout, folder) if arguments else write_forms(checkout, folder)
    except (BankError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    for path in changed:
        print(path)
    return 1 if arguments and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
