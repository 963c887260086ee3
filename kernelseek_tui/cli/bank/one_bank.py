"""`--bank` of commands that write beside one bank: `review` and `new`."""

import sysconfig
from pathlib import Path

import click

from bank.bank import ENTRIES
from bank.errors import BankError
from bank.sources import ENVIRONMENT, chosen

BANK = click.option(
    "--bank",
    "named",
    metavar="NAME|PATH",
    help="The bank: an installed one's name, a folder of *.yaml, or `default`.",
)


def one_bank(named: str | None) -> Path | None:
    """The folder or file of the bank that is named, else of `KERNELSEEK_BANK`; None for the shipped one.

    Raises `BankError` where the variable names several, or a package's bank is broken.
    """
    sources = chosen([named] if named else [])
    if len(sources) > 1:
        raise BankError(f"{ENVIRONMENT} names several banks, name one with --bank")
    return sources[0].path()


def refuse_packaged(path: Path | None) -> None:
    """Raises `BankError` where the bank lies among installed packages: an upgrade would lose additions."""
    place = (ENTRIES if path is None else path).resolve()
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        if place.is_relative_to(Path(folder).resolve()):
            raise BankError("this bank belongs to an installed package, name a folder of your own")
