"""The command line: `kernelseek`. One file a command family, loaded when it is called."""

try:
    from kernelseek_tui.cli.main import main
except KeyboardInterrupt:  # pressed while we load
    raise SystemExit(130) from None

__all__ = ["main"]
