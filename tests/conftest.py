"""The marker that says what a test shows of a driver; `docs/drivers.md` is made of it."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "shows(driver, *features, client='real'): it passes only where the driver does this "
        "(see tests/drivers_table.py)",
    )
