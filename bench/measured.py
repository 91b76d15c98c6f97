"""One measured number."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """What was measured, how much of it, in which unit."""

    what: str
    amount: float
    unit: str
