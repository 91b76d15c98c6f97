"""Nodes that an allocation may have, and why it may not have the others.

A search is a hint: whoever takes a node from it locks the node and looks again. It gives few nodes, from a random point
on, so that those who search at the same time do not all reach for the same one:

    SELECT uuid FROM nodes
     WHERE resource_class = … AND provision_state = 'available' AND … AND <its unit is unclaimed>
       AND <it has each trait> AND id BETWEEN <random point> AND <last> ORDER BY id LIMIT 32
"""

from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, not_, or_, select

from dibs.allocations.model import allocations as words
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.tables import bookings, hosts
from dibs.ledger.tables import inventories, provider_traits
from dibs.machines.model import states
from dibs.machines.tables import holds, nodes

FOUND_MAX = 32

_BOUNDS = select(func.min(nodes.c.id), func.max(nodes.c.id))
_POWERED = and_(nodes.c.power_state.is_not(None), nodes.c.power_state != states.POWER_ERROR)
_UNCLAIMED = exists().where(
    inventories.c.provider_id == nodes.c.id, inventories.c.used == 0, inventories.c.reserved == 0
)
# A booking is gone once its lease has ended: whatever is there is running or still to come.
_BOOKED = exists().where(hosts.c.provider_id == nodes.c.id, bookings.c.host_id == hosts.c.id)
_FIT = (
    nodes.c.provision_state == states.AVAILABLE,
    nodes.c.instance_uuid.is_(None),
    nodes.c.maintenance == 0,
    nodes.c.retired == 0,
    _POWERED,
)
_FREE = (*_FIT, _UNCLAIMED, not_(_BOOKED))

SOME_FREE_NODE = allocations.c.resource_class.in_(select(nodes.c.resource_class).where(*_FREE))
"""In a statement about allocations: some node of the class is free, whether it has the traits or not."""


class _Shape(NamedTuple):
    """All of a question but its values."""

    traits: int
    candidates: int
    owned: bool


def search(tx: Transaction, allocation: Allocation, point: float, found_max: int = FOUND_MAX) -> list[str]:
    """Return uuids of a few free nodes for an allocation, from a point (0 to 1) of all nodes on."""
    first, last = tx.tuples(_BOUNDS)[0]
    if first is None:
        return []
    values = {**_values(allocation), "found_max": found_max}
    statement = _search(_shape(allocation))
    middle = first + int((last - first + 1) * point)
    found: list[str] = tx.values(statement, {**values, "start": middle, "end": last})
    if len(found) < found_max:
        found += tx.values(statement, {**values, "start": first, "end": middle - 1})
    return found[:found_max]


def namesake(tx: Transaction, allocation: Allocation) -> list[str]:
    """The free node for an allocation that has the allocation's name, if there is one."""
    if allocation.name is None:
        return []
    return tx.values(_search_by_name(_shape(allocation)), {**_values(allocation), "of_name": allocation.name})


def count_reasons(tx: Transaction, allocation: Allocation) -> dict[str, int]:
    """How many nodes of the class, among the candidates and of the project, fail for which reason first."""
    return dict(tx.tuples(_count(_shape(allocation)), _values(allocation)))


def free_from(tx: Transaction, allocation: Allocation, now: int, count_max: int) -> list[int]:
    """When nodes become free that the allocation could have but for holds and leases, the soonest first."""
    return tx.values(_free_from(_shape(allocation)), {**_values(allocation), "now": now, "count_max": count_max})


def _shape(allocation: Allocation) -> _Shape:
    return _Shape(len(allocation.traits), len(allocation.candidate_nodes), allocation.owner is not None)


def _values(allocation: Allocation) -> dict[str, Any]:
    values = {
        "of_class": allocation.resource_class,
        **sets.numbered("trait", allocation.traits),
        **sets.numbered("candidate", allocation.candidate_nodes),
    }
    return values if allocation.owner is None else {**values, "of_project": allocation.owner}


def _concerned(shape: _Shape) -> list[ColumnElement[bool]]:
    """The nodes that an allocation is about, free or not."""
    clauses: list[ColumnElement[bool]] = [nodes.c.resource_class == bindparam("of_class")]
    if shape.candidates:
        clauses.append(nodes.c.uuid.in_(sets.binds("candidate", shape.candidates)))
    if shape.owned:
        project: Any = bindparam("of_project")
        clauses.append(or_(nodes.c.owner == project, nodes.c.lessee == project))
    return clauses


def _has_trait(number: int) -> ColumnElement[bool]:
    return exists().where(
        provider_traits.c.provider_id == nodes.c.id, provider_traits.c.trait == bindparam(f"trait_{number}")
    )


def _suitable(shape: _Shape) -> Select[Any]:
    traits = [_has_trait(number) for number in range(shape.traits)]
    return select(nodes.c.uuid).where(*_concerned(shape), *_FREE, nodes.c.reservation.is_(None), *traits)


@lru_cache(maxsize=500)
def _search(shape: _Shape) -> Select[Any]:
    statement = _suitable(shape).where(nodes.c.id.between(bindparam("start"), bindparam("end")))
    return statement.order_by(nodes.c.id).limit(bindparam("found_max"))


@lru_cache(maxsize=500)
def _search_by_name(shape: _Shape) -> Select[Any]:
    return _suitable(shape).where(nodes.c.name == bindparam("of_name"))


@lru_cache(maxsize=500)
def _free_from(shape: _Shape) -> Select[Any]:
    """SELECT the later of the end of the hold and of the last lease, FROM nodes that have either and nothing else."""
    held = select(holds.c.expires_at).where(holds.c.node_id == nodes.c.id, holds.c.expires_at > bindparam("now"))
    booked = (
        select(func.max(bookings.c.end_at))
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .where(hosts.c.provider_id == nodes.c.id)
    )
    traits = [_has_trait(number) for number in range(shape.traits)]
    ends = (
        select(held.scalar_subquery().label("held"), booked.scalar_subquery().label("booked"))
        .where(*_concerned(shape), *_FIT, *traits, or_(held.exists(), and_(_UNCLAIMED, _BOOKED)))
        .subquery("ends")
    )
    later = case((ends.c.held > func.coalesce(ends.c.booked, 0), ends.c.held), else_=ends.c.booked)
    return select(later.label("moment")).order_by(later).limit(bindparam("count_max"))


@lru_cache(maxsize=500)
def _count(shape: _Shape) -> Select[Any]:
    reason = case(
        (exists().where(holds.c.node_id == nodes.c.id), words.HELD),
        (nodes.c.instance_uuid.is_not(None), words.IN_USE),
        (exists().where(inventories.c.provider_id == nodes.c.id, inventories.c.used > 0), words.IN_USE),
        (_BOOKED, words.BOOKED),
        (nodes.c.maintenance == 1, words.IN_MAINTENANCE),
        (nodes.c.provision_state != states.AVAILABLE, words.NOT_AVAILABLE),
        (nodes.c.retired == 1, words.RETIRED),
        (not_(_POWERED), words.POWER_UNKNOWN),
        *((not_(_has_trait(number)), f"{words.LACKS}{number}") for number in range(shape.traits)),
        (nodes.c.reservation.is_not(None), words.LOCKED),
        # Nothing speaks against it, so that it can only be kept for those who wait for one.
        else_=words.PROMISED,
    )
    # Engines do not recognise an expression with parameters when it is repeated under GROUP BY.
    sorted_out = select(reason.label("reason")).where(*_concerned(shape)).subquery("sorted_out")
    return select(sorted_out.c.reason, func.count()).group_by(sorted_out.c.reason).order_by(sorted_out.c.reason)
