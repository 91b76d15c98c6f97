"""What the package of servers, which stands above leases, does for leases."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from dibs.database.transaction import Transaction


class LeaseUses(ABC):
    """The servers of leases. The wiring registers the implementation of the package that keeps servers."""

    @abstractmethod
    def reservation_of(self, tx: Transaction, instance_uuid: str) -> int | None:
        """Return the row id of the reservation that an instance was launched for; None when there is none."""

    @abstractmethod
    def end_servers(self, tx: Transaction, now: int, reservation_ids: Sequence[int]) -> None:
        """Delete the servers of reservations, and keep new ones out until the transaction ends."""

    @abstractmethod
    def end_consumer(self, tx: Transaction, now: int, consumer: str) -> None:
        """Release the claims of a consumer on leased hosts; tear down the node that it runs on."""


def uses(tx: Transaction) -> LeaseUses:
    """Return the registered implementation."""
    (registered,) = tx.hooks.every(LeaseUses)  # type: ignore[type-abstract]
    return registered
