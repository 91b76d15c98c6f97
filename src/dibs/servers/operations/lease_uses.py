"""The servers of leases, for the operations of leases."""

from collections.abc import Sequence

from dibs.database.transaction import Transaction
from dibs.leases.operations.uses import LeaseUses
from dibs.servers.operations.deleting import delete_servers_of, release_consumer
from dibs.servers.queries import servers


class ServersOfLeases(LeaseUses):
    """Servers that were launched for reservations, and other consumers of leased hosts."""

    def reservation_of(self, tx: Transaction, instance_uuid: str) -> int | None:
        return servers.reservation_of(tx, instance_uuid)

    def end_servers(self, tx: Transaction, now: int, reservation_ids: Sequence[int]) -> None:
        delete_servers_of(tx, now, reservation_ids)

    def end_consumer(self, tx: Transaction, now: int, consumer: str) -> None:
        release_consumer(tx, now, consumer)
