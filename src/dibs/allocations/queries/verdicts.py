"""Why nodes of a class are not free: what decides about each, one statement for a page; and their reasons, counted."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, not_, select, true

from dibs.allocations.model import shortages
from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.verdicts import NodeState
from dibs.allocations.queries import bearers, free_nodes
from dibs.allocations.queries.free_nodes import LAST_ID, POWERED, Shape, concerned, has_trait, shape_of, values_of
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.tables import bookings, hosts
from dibs.ledger.tables import inventories
from dibs.machines.model import states
from dibs.machines.tables import holds, nodes

_PLAIN = ("id", "uuid", "name", "provision_state", "instance_uuid", "instance_until")
_FLAGS = ("maintenance", "retired", "protected", "powered", "claimed", "locked")
_CLAIMED = exists().where(inventories.c.provider_id == nodes.c.id, inventories.c.used > 0)
_AMONG_CLAIMED = nodes.c.id.in_(select(inventories.c.provider_id).where(inventories.c.used > 0))
"""The same, for many nodes: reads all inventories once instead of those of each node."""


def page(tx: Transaction, required: Requirements, after_id: int, limit: int) -> list[NodeState]:
    """Return nodes of the class, candidates and project after a node, in the order of their ids."""
    values = {**values_of(required), "after_id": after_id, "page_limit": limit}
    return [_state(row, required) for row in tx.rows(_page(shape_of(required)), values)]


def _state(row: dict[str, Any], required: Requirements) -> NodeState:
    lacks = free_nodes.traits_of(required, row.pop("missing"))
    return NodeState(**{**row, **{name: bool(row[name]) for name in _FLAGS}}, lacks=lacks)


@lru_cache(maxsize=500)
def _page(shape: Shape) -> Select[Any]:
    return (
        select(
            *(nodes.c[name] for name in (*_PLAIN, "maintenance", "retired", "protected")),
            case((POWERED, 1), else_=0).label("powered"),
            case((_CLAIMED, 1), else_=0).label("claimed"),
            case((nodes.c.reservation.is_not(None), 1), else_=0).label("locked"),
            free_nodes.missing_traits(shape).label("missing"),
        )
        .where(*concerned(shape), nodes.c.id > bindparam("after_id"))
        .order_by(nodes.c.id)
        .limit(bindparam("page_limit"))
    )


def count_reasons(tx: Transaction, required: Requirements) -> dict[str, int]:
    """Return how many nodes of the class, candidates and project fail for which reason first."""
    having = bearers.for_each_trait(tx, required.traits) if required.traits else None
    if having is None:
        return dict(_count_nodes(tx, required))
    # Without the traits first. Of the nodes that no reason before them concerns, few have the traits.
    plain = replace(required, traits=())
    counts = _count_nodes(tx, plain)
    remaining = counts.pop(shortages.PROMISED, 0) + counts.pop(shortages.LOCKED, 0)
    reasons = _reasons_against(tx, plain, having[0]) if having[0] and remaining else {}
    for number, ids in enumerate(having):
        left = [reasons[each] for each in ids if reasons.get(each) in (shortages.PROMISED, shortages.LOCKED)]
        counts[f"{shortages.LACKS}{number}"] += remaining - len(left)
        remaining = len(left)
    counts.update(left)
    return {reason: count for reason, count in sorted(counts.items()) if count}


def _count_nodes(tx: Transaction, required: Requirements) -> Counter[str]:
    names = _names(shape_of(required))
    counts: Counter[str] = Counter()
    for place, count in tx.tuples(_count(shape_of(required)), values_of(required)):
        counts[names[place]] += count
    return counts


def _reasons_against(tx: Transaction, required: Requirements, ids: Sequence[int]) -> dict[int, str]:
    """Return the first reason against each of the nodes that are of the class, the candidates and the project."""
    names = _names(shape_of(required))
    found = tx.tuples(_reasons_among(shape_of(required)), {**values_of(required), "listed": sets.listed(ids)})
    return {node_id: names[place] for node_id, place in found if place is not None}


# All conditions are in the result, so that no planner begins with another index than that of the ids.


@lru_cache(maxsize=500)
def _reasons_among(shape: Shape) -> sets.Among:
    """SELECT id and, of a node of the class, the candidates and the project, the first reason FROM nodes of a list."""
    reason = case((and_(*concerned(shape)), _reason(shape, _CLAIMED)))
    return sets.Among(select(nodes.c.id, reason.label("reason")), nodes.c.id, "listed")


@lru_cache(maxsize=500)
def _count(shape: Shape) -> Select[Any]:
    """SELECT number of the reason, count(*) FROM (SELECT … FROM nodes LIMIT all of them) GROUP BY the number.

    With the limit, SQLite evaluates the reason once for each node, and it sorts numbers faster than texts.
    """
    reason = _reason(shape, _AMONG_CLAIMED).label("reason")
    sorted_out = select(reason).where(*concerned(shape)).limit(LAST_ID).subquery("sorted_out")
    return select(sorted_out.c.reason, func.count()).group_by(sorted_out.c.reason).order_by(sorted_out.c.reason)


def _reason(shape: Shape, claimed: ColumnElement[bool]) -> ColumnElement[int]:
    """Return an expression for the first reason against a node: its place in ``_reasons``."""
    checks = [check for check, _ in _reasons(shape, claimed)]
    return case(*((check, place) for place, check in enumerate(checks[:-1])), else_=len(checks) - 1)


@lru_cache(maxsize=500)
def _names(shape: Shape) -> list[str]:
    return [name for _, name in _reasons(shape, _CLAIMED)]


def _reasons(shape: Shape, claimed: ColumnElement[bool]) -> list[tuple[ColumnElement[bool], str]]:
    """Return the reasons against a node, and which nodes they concern; the first one counts."""
    return [
        (nodes.c.id.in_(select(holds.c.node_id)), shortages.HELD),
        (nodes.c.instance_uuid.is_not(None), shortages.IN_USE),
        (claimed, shortages.IN_USE),
        (nodes.c.id.in_(select(hosts.c.provider_id).join(bookings)), shortages.BOOKED),
        (nodes.c.maintenance == 1, shortages.IN_MAINTENANCE),
        (nodes.c.provision_state != states.AVAILABLE, shortages.NOT_AVAILABLE),
        (nodes.c.retired == 1, shortages.RETIRED),
        (not_(POWERED), shortages.POWER_UNKNOWN),
        *((not_(has_trait(number)), f"{shortages.LACKS}{number}") for number in range(shape.traits)),
        (nodes.c.reservation.is_not(None), shortages.LOCKED),
        # No reason against it is left but an allocation ahead in the queue.
        (true(), shortages.PROMISED),
    ]
