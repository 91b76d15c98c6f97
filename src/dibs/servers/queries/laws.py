"""Find servers whose host and claims contradict each other."""

from sqlalchemy import and_, exists, or_, select

from dibs.database.laws import Page, pages_of, within
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import claims, consumers, providers
from dibs.machines.tables import nodes
from dibs.servers.model.servers import ERROR
from dibs.servers.tables import servers

servers_page = pages_of(servers.c.id)

_CLAIMED = exists().where(consumers.c.uuid == servers.c.uuid, claims.c.consumer_id == consumers.c.id)
_CONTRADICTIONS = (
    select(servers.c.uuid, servers.c.status, providers.c.name.label("host"))
    .outerjoin(providers, providers.c.id == servers.c.provider_id)
    .outerjoin(nodes, nodes.c.id == servers.c.provider_id)
    .where(within(servers.c.id))
    .where(
        or_(
            # A server on a node shows ERROR when an operator gave the node to another instance.
            and_(servers.c.status != ERROR, providers.c.id.is_not(None), nodes.c.id.is_(None), ~_CLAIMED),
            and_(providers.c.id.is_(None), _CLAIMED),
        )
    )
)


def contradictions(tx: Transaction, page: Page) -> list[Row]:
    """Return the servers on a compute host without a claim, and the servers without a host that have one."""
    return tx.rows(_CONTRADICTIONS, page.binds)
