"""Opens the browser of a bank without a session. Importing this loads Textual."""

from bank.bank import Bank
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.bank_panes import Site
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.glyphs import Glyphs


class BankApp(KernelSeekApp):
    """The application with the styles of the browser in the place of a session's."""

    CSS_PATH = ["roles.tcss", "bank.tcss"]  # noqa: RUF012 - as Textual declares it


def browse_app(bank: Bank, glyphs: Glyphs | None = None) -> BankApp:
    """The application for a bank."""
    site = Site(alone=True)
    return BankApp(lambda chosen: BankScreen(bank, chosen, site), glyphs=glyphs)


def run_browse(bank: Bank) -> None:
    """Browse a bank until the person quits."""
    browse_app(bank).run()
