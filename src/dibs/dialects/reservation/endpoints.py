"""What a row of the routing table leads to."""

from dataclasses import dataclass

from dibs.dialects.reservation.exchange import Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A handler, and what is checked before it."""

    handle: Handler
    rule: str | None = None
    """The rule that must allow it; None for what everybody may see."""
