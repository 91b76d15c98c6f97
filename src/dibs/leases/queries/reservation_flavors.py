"""The private flavors of reservations of instances: one each, removed with the reservation."""

from collections.abc import Sequence

from sqlalchemy import bindparam, insert, select
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.flavors.tables import flavor_access, flavors

_GRANT = insert(flavor_access).from_select(
    ["flavor_id", "project_id"],
    select(flavors.c.id, bindparam("of_project")).where(
        flavors.c.reservation_id == bindparam("of_reservation"),
        ~select(flavor_access.c.flavor_id)
        .where(flavor_access.c.flavor_id == flavors.c.id, flavor_access.c.project_id == bindparam("of_project"))
        .exists(),
    ),
)


def grant(tx: Transaction, reservation_id: int, project: str) -> None:
    """Grant a project access to the flavor of a reservation."""
    tx.change(_GRANT, {"of_reservation": reservation_id, "of_project": project})


def remove(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Remove the flavors of reservations."""
    for piece in sets.pieces(reservation_ids):
        tx.change(_remove(len(piece)), sets.numbered("id", piece))


@sets.cached
def _remove(count: int) -> Delete:
    return delete_rows(flavors).where(flavors.c.reservation_id.in_(sets.binds("id", count)))
