"""The reservation dialect: Blazar's v1 API. Hosts that can be booked, and leases on them and on instances.

What is spoken, every quirk, and what is left out: docs/dialects/reservation.md.
"""

from dibs.dialects.reservation.dialect import Reservation

__all__ = ["Reservation"]
