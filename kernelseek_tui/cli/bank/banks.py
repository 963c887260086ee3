"""The banks that there are, for `kernelseek bank list --banks`: version, size, origin and lint state."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Literal

import click

from bank.admission.folder import admit_path
from bank.bank import Bank
from bank.errors import BankError
from bank.sources import Source, chosen, installed
from kernelseek_tui.cli.bank.shared import count, dump
from kernelseek_tui.plain import line


@dataclass(frozen=True)
class BankRow:
    """A bank. `used`: commands use it as things stand. `refused`: why it cannot be, else empty."""

    name: str
    version: str | None
    entries: int | None
    origin: str
    used: bool
    errors: int | None
    warnings: int | None
    refused: str

    @property
    def state(self) -> Literal["ok", "warnings", "refused"]:
        """What the admission rules say of it."""
        if self.refused or self.errors:
            return "refused"
        return "warnings" if self.warnings else "ok"


def bank_rows(names: Sequence[str] = ()) -> list[BankRow]:
    """The shipped bank, those of installed packages, and those named by path; a broken one has its reason."""
    used = chosen(names)
    every = {source.name: source for source in (*installed(), *used)}
    return [_row(source, any(one.name == source.name for one in used)) for source in every.values()]


def _row(source: Source, used: bool) -> BankRow:
    try:
        path = source.path()
        loaded = Bank.load(path)
        levels = [found.level for found in admit_path(path).findings]
    except BankError as error:
        return BankRow(source.name, None, None, source.where, used, None, None, str(error))
    errors = levels.count("error")
    where = f" {quote(str(path))}" if path is not None else ""
    refused = f"{count(errors, 'error')}, see `kernelseek bank lint{where}`" if errors else ""
    return BankRow(
        source.name,
        loaded.version,
        len(loaded.entries),
        source.where,
        used,
        errors,
        levels.count("warning"),
        refused,
    )


def print_banks(names: Sequence[str], as_json: bool) -> None:
    """Print them, those in use marked with `*`."""
    rows = bank_rows(names)
    if as_json:
        click.echo(dump([asdict(row) | {"state": row.state} for row in rows]))
        return
    width = max(len(line(row.name)) for row in rows)
    for row in rows:
        state = row.refused and f"refused: {row.refused}"
        state = state or (count(row.warnings, "warning") if row.warnings else "ok")
        size = "-" if row.entries is None else str(row.entries)
        mark = "*" if row.used else " "
        name = f"{line(row.name):<{width}}"
        click.echo(f"{mark} {name}  {row.version or '-':<24}{size:>5}  {line(row.origin)}  {line(state)}")
    click.echo("* used; name others with --bank or KERNELSEEK_BANK", err=True)
