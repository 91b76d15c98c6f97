"""The reservation dialect: Blazar's v1 API of bookable hosts and of leases.

``docs/dialects/reservation.md`` lists what is supported, every quirk, and what is left out. Start with ``routes.py``.
"""

from dibs.dialects.reservation.dialect import Reservation

__all__ = ["Reservation"]
