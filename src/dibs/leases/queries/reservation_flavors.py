"""The private flavors of reservations of instances: one each, removed with the reservation."""

from collections.abc import Sequence

from sqlalchemy import Insert, insert, select
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.flavors.tables import flavor_access, flavors
from dibs.leases.tables import lease_reservations, leases

_HAS = (
    select(flavor_access.c.flavor_id)
    .where(flavor_access.c.flavor_id == flavors.c.id, flavor_access.c.project_id == leases.c.project_id)
    .correlate(flavors, leases)
    .exists()
)
_MISSING = (
    select(flavors.c.id, leases.c.project_id)
    .join(lease_reservations, lease_reservations.c.id == flavors.c.reservation_id)
    .join(leases, leases.c.id == lease_reservations.c.lease_id)
    .where(leases.c.project_id.is_not(None), ~_HAS)
)


def grant(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Grant the projects of leases access to the flavors of their reservations."""
    for ids in map(sets.padded, sets.pieces(reservation_ids)):
        tx.change(_grant(len(ids)), sets.numbered("id", ids))


def remove(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Remove the flavors of reservations."""
    for piece in sets.pieces(reservation_ids):
        tx.change(_remove(len(piece)), sets.numbered("id", piece))


@sets.cached
def _remove(count: int) -> Delete:
    return delete_rows(flavors).where(flavors.c.reservation_id.in_(sets.binds("id", count)))


@sets.cached
def _grant(count: int) -> Insert:
    missing = _MISSING.where(flavors.c.reservation_id.in_(sets.binds("id", count)))
    return insert(flavor_access).from_select(["flavor_id", "project_id"], missing)
