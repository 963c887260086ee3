"""Money in sentences."""

from decimal import Decimal


def dollars(amount: float) -> str:
    """Dollars with cents; below ten cents with as many digits as tell it from nothing: `$0.0042`."""
    if amount >= 0.1 or amount <= 0:
        return f"${amount:.2f}"
    return f"${Decimal(f'{amount:.2g}'):f}"
