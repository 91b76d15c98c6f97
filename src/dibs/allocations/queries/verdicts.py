"""Read what decides about each node of a class: one statement for a page."""

from functools import lru_cache
from typing import Any

from sqlalchemy import Select, bindparam, case, exists, select

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.verdicts import NodeState
from dibs.allocations.queries import free_nodes
from dibs.allocations.queries.free_nodes import Shape
from dibs.database.transaction import Transaction
from dibs.ledger.tables import inventories
from dibs.machines.tables import nodes

_PLAIN = ("id", "uuid", "name", "provision_state", "instance_uuid", "instance_until")
_FLAGS = ("maintenance", "retired", "protected", "powered", "claimed", "locked")
_CLAIMED = exists().where(inventories.c.provider_id == nodes.c.id, inventories.c.used > 0)


def page(tx: Transaction, required: Requirements, after_id: int, limit: int) -> list[NodeState]:
    """Return nodes of the class, candidates and project after a node, in the order of their ids."""
    values = {**free_nodes.values_of(required), "after_id": after_id, "page_limit": limit}
    return [_state(row, required) for row in tx.rows(_page(free_nodes.shape_of(required)), values)]


def _state(row: dict[str, Any], required: Requirements) -> NodeState:
    lacks = free_nodes.traits_of(required, row.pop("missing"))
    return NodeState(**{**row, **{name: bool(row[name]) for name in _FLAGS}}, lacks=lacks)


@lru_cache(maxsize=500)
def _page(shape: Shape) -> Select[Any]:
    return (
        select(
            *(nodes.c[name] for name in (*_PLAIN, "maintenance", "retired", "protected")),
            case((free_nodes.POWERED, 1), else_=0).label("powered"),
            case((_CLAIMED, 1), else_=0).label("claimed"),
            case((nodes.c.reservation.is_not(None), 1), else_=0).label("locked"),
            free_nodes.missing_traits(shape).label("missing"),
        )
        .where(*free_nodes.concerned(shape), nodes.c.id > bindparam("after_id"))
        .order_by(nodes.c.id)
        .limit(bindparam("page_limit"))
    )
