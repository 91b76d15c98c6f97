"""The endpoint of a row of the routing table: a handler and its policy rule."""

from dataclasses import dataclass

from dibs.dialects.reservation.exchange import Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A handler, and the rule that is checked before it."""

    handle: Handler
    rule: str | None = None
    """The rule that must allow the request; None when every caller may make it."""
