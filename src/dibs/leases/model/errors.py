"""Errors about hosts, bookings and leases."""

from dibs.errors import DibsError
from dibs.machines.model.errors import NodeClaimed


class NodeBooked(NodeClaimed):
    """Node {node} is booked for reservation {reservations} of a lease."""


class HostKeptForLeases(DibsError):
    """Host {host} is kept for leases: only an instance of a reservation on it can use it."""


class ProviderIsHost(DibsError):
    """Resource provider {provider} belongs to host {host}, which can be booked: remove the host first."""


class HostNotFound(DibsError):
    """Host '{host}' not found!"""


class NoSuchHost(DibsError):
    """Object with {{'host_id': '{host}'}} not found"""


class HostExists(DibsError):
    """Conflict on creating resource provider {provider}"""


class HostInUse(DibsError):
    """Servers {consumers} found for host {host}"""


class HostBooked(DibsError):
    """Can't delete host {host}. The host is reserved."""


class HostPropertyInUse(DibsError):
    """Can't add extracapabilities {names} to Host {host}"""


class HostPropertyNotFound(DibsError):
    """There is no host with the property {name}."""


class MalformedRequirements(DibsError):
    """Malformed requirements {requirements}"""


class LeaseNotFound(DibsError):
    """Object with {{'lease_id': '{lease}'}} not found"""


class BadLease(DibsError):
    """{reason}"""


class OutsideLease(DibsError):
    """Datetime is out of lease limits"""


class LeaseTooLong(DibsError):
    """Lease duration of {seconds} seconds is greater than the maximum of {seconds_max} seconds"""


class LeaseRefused(DibsError):
    """{reason}"""


class LeaseConflict(DibsError):
    """{reason}"""


class NotEnoughHosts(DibsError):
    """Not enough hosts available: {shortage}"""

    @property
    def final(self) -> bool:
        """True when no move of other leases helps."""
        return bool(self.details.get("final"))
