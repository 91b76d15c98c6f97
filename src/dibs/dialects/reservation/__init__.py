"""The reservation dialect: Blazar's v1 API of bookable hosts and of leases.

Start with ``routes``: each row names a handler. ``documents`` parses and renders JSON, ``errors`` maps domain errors to
statuses, ``floating_ips`` refuses the resource that Dibs does not lease. Rules about hosts and leases do not belong
here but in ``dibs.leases``. Supported operations, every quirk and all omissions: docs/dialects/reservation.md.
"""

from dibs.dialects.reservation.dialect import Reservation

__all__ = ["Reservation"]
