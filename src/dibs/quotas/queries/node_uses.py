"""Which nodes projects have: by an allocation, a reservation of the node, a server or another consumer."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.tables import claims, consumers
from dibs.machines.tables import holds, nodes
from dibs.quotas.model.uses import NEVER, Use


def of_projects(tx: Transaction, projects: Sequence[str], now: int) -> list[Use]:
    """Return the nodes that consumers of these projects have claimed; an expired reservation has no effect."""
    return [
        Use(project, consumer, node_id, resource_class, 0, _end(instance_until, held_until, now))
        for piece in sets.pieces(projects)
        for project, consumer, node_id, resource_class, instance_until, held_until in tx.tuples(
            _of_projects(len(piece)), sets.numbered("project", piece)
        )
    ]


def _end(instance_until: int | None, held_until: int | None, now: int) -> int:
    """Return the end of a use. An instance that should have been removed is in use until it is."""
    if held_until is not None:
        return held_until
    return NEVER if instance_until is None else max(instance_until, now + 1)


@sets.cached
def _of_projects(count: int) -> Select[Any]:
    return (
        select(
            consumers.c.project_id,
            consumers.c.uuid,
            nodes.c.id,
            nodes.c.resource_class,
            nodes.c.instance_until,
            holds.c.expires_at,
        )
        .join(claims, claims.c.consumer_id == consumers.c.id)
        .join(nodes, nodes.c.id == claims.c.provider_id)
        .outerjoin(holds, holds.c.node_id == nodes.c.id)
        .where(consumers.c.project_id.in_(sets.binds("project", count)))
    )
