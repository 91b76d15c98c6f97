"""Start several leases in one transaction.

Many leases start in the same minute, and the number of statements does not grow with them. If the transaction waited
for a lock, the other leases and their hosts would be locked meanwhile. So it takes only locks that are free: a lease
that another transaction has locked stays due, and one whose host is locked starts alone.
"""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import START
from dibs.leases.operations.booking import providers_of, read_booked_hosts
from dibs.leases.operations.starting.starts import start, without_predecessor
from dibs.leases.queries.lease_rows import groups
from dibs.ledger.queries import providers

HOSTS_MAX = 128
"""How many hosts of leases that start together are locked at most."""


class StartLeases(Struct, frozen=True, kw_only=True):
    """Start those of some leases that are due and whose locks are free."""

    leases: tuple[str, ...]


class StartedLeases(Struct, frozen=True, kw_only=True):
    """What became of leases that were to start together."""

    count: int
    """How many have started."""
    alone: frozenset[str] = frozenset()
    """The uuids of leases that are to start in transactions of their own."""


def start_leases(tx: Transaction, access: Access, now: int, command: StartLeases) -> StartedLeases:
    """Start leases together; those of which another transaction has locked a host are to start alone."""
    due = [lease for lease in groups.lock_free(tx, command.leases) if lease.is_due(START, now)]
    ready = without_predecessor(tx, due)
    booked = read_booked_hosts(tx, [reservation for lease in ready for reservation in lease.reservations])
    if len(booked) > HOSTS_MAX:
        return StartedLeases(count=0, alone=frozenset(lease.uuid for lease in ready))
    free = providers.lock_free(tx, providers_of(booked))
    waiting = {each.reservation_id for each in booked if not free.issuperset(providers_of([each]))}
    alone = frozenset(
        lease.uuid for lease in ready if not waiting.isdisjoint(reservation.id for reservation in lease.reservations)
    )
    starting = [lease for lease in ready if lease.uuid not in alone]
    start(tx, now, starting, booked)
    return StartedLeases(count=len(starting), alone=alone)
