"""The enforcement service: an external service that approves new and changed leases, and hears when they end."""

from typing import Protocol

from dibs.leases.model.documents import LeaseChangeDocument, LeaseDocument


class Enforcement(Protocol):
    """A client of the enforcement service. No transaction is open during a call, because the call may take long."""

    def check_create(self, lease: LeaseDocument) -> None:
        """Raise LeaseRefused unless the service approves the new lease."""

    def check_update(self, change: LeaseChangeDocument) -> None:
        """Raise LeaseRefused unless the service approves the change."""

    def notify_end(self, lease: LeaseDocument) -> None:
        """Notify the service that a lease has ended; it may be notified twice."""
