"""What holds for every test: a marker, and signals that reach the processes tests start."""

import signal

import pytest
from hypothesis import settings


def pytest_configure(config: pytest.Config) -> None:
    # No test is timed: on a busy machine an example takes as long as it takes.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")
    # A suite run in the background of a shell has SIGINT ignored, under nohup SIGHUP too, and every child
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # `docs/drivers.md` is made of these marks.
    config.addinivalue_line(
        "markers",
        "shows(driver, *features, client='real'): it passes only where the driver does this "
        "(see tests/drivers_table.py)",
    )
