"""Bookings: a host for one reservation in the window of its lease."""

from collections.abc import Mapping

from msgspec import Struct, field


class Booking(Struct, frozen=True, kw_only=True, gc=False):
    """A host, whole or in part, for one reservation.

    The garbage collector does not trace bookings: a search reads thousands, and they refer to nothing but sizes.
    """

    reservation_id: int
    host_id: int
    start_at: int
    end_at: int
    amount: int
    """The number of instances on the host; 1 when the host is booked whole."""
    whole: bool = False
    resources: Mapping[str, int] = field(default_factory=dict)
    """What one instance takes, by resource class."""
    maintenance: bool = False
    """True when the host is kept free for work on it."""


class ListedBooking(Struct, frozen=True, kw_only=True):
    """A booking as operators list it: with uuids instead of row ids."""

    host_id: int
    reservation: str
    lease: str
    start_at: int
    end_at: int
    amount: int
