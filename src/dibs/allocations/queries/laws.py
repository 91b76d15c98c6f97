"""Find allocations whose state and node contradict each other."""

from sqlalchemy import and_, func, or_, select

from dibs.allocations.model.allocations import ACTIVE, ERROR
from dibs.allocations.tables import allocations
from dibs.database.laws import Page, pages_of, within
from dibs.database.transaction import Row, Transaction
from dibs.machines.tables import nodes

allocations_page = pages_of(allocations.c.id)

_CONTRADICTIONS = (
    select(allocations.c.uuid, allocations.c.state, nodes.c.uuid.label("node"), nodes.c.instance_uuid)
    .outerjoin(nodes, nodes.c.id == allocations.c.node_id)
    .where(within(allocations.c.id))
    .where(
        or_(
            and_(allocations.c.state == ACTIVE, func.coalesce(nodes.c.instance_uuid, "") != allocations.c.uuid),
            and_(allocations.c.state != ACTIVE, nodes.c.id.is_not(None)),
        )
    )
)
_UNEXPLAINED = (
    select(allocations.c.uuid)
    .where(within(allocations.c.id))
    .where(allocations.c.state == ERROR, func.coalesce(allocations.c.last_error, "") == "")
)


def contradictions(tx: Transaction, page: Page) -> list[Row]:
    """Return the active allocations without a node of their own, and the others with a node."""
    return tx.rows(_CONTRADICTIONS, page.binds)


def failed_without_reason(tx: Transaction, page: Page) -> list[str]:
    """Return the failed allocations without a last error."""
    return tx.values(_UNEXPLAINED, page.binds)
