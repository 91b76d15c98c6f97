"""The endpoint of a row of the routing table: a handler and its policy rule."""

from msgspec import Struct

from dibs.dialects.reservation.exchange import Handler


class Endpoint(Struct, frozen=True, kw_only=True):
    """A handler, and the rule that is checked before it."""

    handle: Handler
    rule: str | None = None
    """The rule that must allow the request; None when every caller may make it."""
