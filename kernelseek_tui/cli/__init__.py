"""The command line: `kernelseek`. One file a command family, loaded when it is called."""

from kernelseek_tui.cli.main import main

__all__ = ["main"]
