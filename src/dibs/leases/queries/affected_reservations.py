"""Reservations that have not ended and lack a host, or have one that is out of service."""

from sqlalchemy import bindparam, exists, or_, select

from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import DISABLED_TRAIT, FAILED_STATES
from dibs.leases.model.leases import ACTIVE, PENDING, RESERVATION_ACTIVE, RESERVATION_PENDING
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.ledger.tables import provider_traits
from dibs.machines.tables import nodes

_FAILED_NODE = exists().where(
    nodes.c.id == hosts.c.provider_id,
    or_(
        nodes.c.maintenance == 1,
        nodes.c.retired == 1,
        *(nodes.c.provision_state == state for state in sorted(FAILED_STATES)),
    ),
)
_DISABLED = exists().where(
    provider_traits.c.provider_id == hosts.c.provider_id, provider_traits.c.trait == DISABLED_TRAIT
)
_ON_FAILED_HOST = exists().where(
    bookings.c.reservation_id == lease_reservations.c.id,
    hosts.c.id == bookings.c.host_id,
    or_(_FAILED_NODE, _DISABLED),
)
_AFFECTED = (
    select(leases.c.uuid, lease_reservations.c.uuid.label("reservation"))
    .join(leases, leases.c.id == lease_reservations.c.lease_id)
    .where(
        or_(*(lease_reservations.c.status == status for status in (RESERVATION_ACTIVE, RESERVATION_PENDING))),
        or_(*(leases.c.status == status for status in (ACTIVE, PENDING))),
        lease_reservations.c.maintenance == 0,
        or_(lease_reservations.c.missing_resources == 1, _ON_FAILED_HOST),
    )
    .order_by(leases.c.start_at, lease_reservations.c.id)
    .limit(bindparam("count_max"))
)


def find(tx: Transaction, count_max: int) -> list[tuple[str, str]]:
    """Return the uuids of leases and of their affected reservations; the next to begin come first."""
    return [(lease, reservation) for lease, reservation in tx.tuples(_AFFECTED, {"count_max": count_max})]
