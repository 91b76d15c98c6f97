"""A target with hosts and a lease: a compute host and a node, one of them booked."""

from typing import Any

from sqlalchemy import Table, update

from dibs.access.access import SERVICE
from dibs.leases import tables as lease_tables
from dibs.leases.operations.hosts import RegisterHost, UpdateHost, register_host, update_host
from tests.attacks.target import NODES, Target
from tests.laws import Tables, broken_laws
from tests.lease_builders import lease, make_host, whole

HOST = "1000000"
LEASE, PART = (f"2b000000-0000-4000-8000-00000000000{number}" for number in range(2))


class LeaseTarget(Target):
    """Target with a host of 64 processors and a property, the available node as a host, and a lease."""

    def fill(self) -> None:
        """Write the initial rows of every attack, with fixed ids and uuids."""
        super().fill()
        write = self.ledger.runner.write
        make_host(self.ledger, "compute-1")
        self._set_identity(lease_tables.hosts, id=int(HOST))
        write(update_host, SERVICE, UpdateHost(id=HOST, properties={"gpu": "a"}))
        write(register_host, SERVICE, RegisterHost(name=NODES["available"]))
        lease(self.ledger, 1, 3, whole(resource_properties='["==", "$gpu", "a"]'))
        self._set_identity(lease_tables.leases, uuid=LEASE)
        self._set_identity(lease_tables.lease_reservations, uuid=PART)

    def broken_laws(self, rows: Tables) -> list[str]:
        """Return violations of the laws of the ledger."""
        return broken_laws(rows, machines_only=False)

    def _set_identity(self, table: Table, **values: Any) -> None:
        """Give the only row of a table a fixed id."""
        self.store.write(lambda tx: tx.change(update(table).values(values)))
