"""Requests for a node that are served together or not at all: they share the uuid of their batch.

A batch belongs to the conductor of its first request. Should a take-over have given the others to somebody else,
whoever has the first moves them to itself.
"""

from typing import Any

from sqlalchemy import bindparam, exists, or_, select, update

from dibs.domain.node_requests import ALLOCATING, ERROR, NodeRequest
from dibs.store import node_requests as requests
from dibs.store.tables import conductors, node_requests
from dibs.store.transaction import Transaction

_OF_BATCH = node_requests.c.batch == bindparam("of_batch")
_OPEN = node_requests.c.state == ALLOCATING
_EARLIER = node_requests.alias("earlier")
_IS_FIRST = ~exists().where(
    _EARLIER.c.batch == node_requests.c.batch,
    _EARLIER.c.state == ALLOCATING,
    _EARLIER.c.id < node_requests.c.id,
)
_MINE = (
    node_requests.c.conductor_id
    == select(conductors.c.id).where(conductors.c.incarnation == bindparam("of_incarnation")).scalar_subquery()
)
_DUE = (
    select(node_requests.c.batch)
    .where(_OPEN, _MINE, node_requests.c.batch.is_not(None), _IS_FIRST)
    .order_by(node_requests.c.id)
    .limit(bindparam("count_max"))
)
_REOPEN = (
    update(node_requests)
    .where(or_(_OF_BATCH, node_requests.c.id == bindparam("of_id")), node_requests.c.state == ERROR)
    .values(
        state=ALLOCATING,
        last_error=None,
        conductor_id=bindparam("new_conductor"),
        wait_until=bindparam("new_wait_until"),
        updated_at=bindparam("now"),
    )
)


def members(tx: Transaction, batch: str) -> list[NodeRequest]:
    """All requests of a batch, the first first."""
    return requests.of_batch(tx, batch)


def due(tx: Transaction, incarnation: str, count_max: int) -> list[str]:
    """The batches that a conductor is to serve, the oldest first."""
    values: dict[str, Any] = {"of_incarnation": incarnation, "count_max": count_max}
    return tx.values(_DUE, values)


def reopen(tx: Transaction, request: NodeRequest, *, conductor_id: int, wait_until: int | None, now: int) -> int:
    """Let a request that failed, and all of its batch, be served once more; gives how many there are."""
    values = {
        "of_batch": request.batch,
        "of_id": request.id,
        "new_conductor": conductor_id,
        "new_wait_until": wait_until,
        "now": now,
    }
    return tx.change(_REOPEN, values)
