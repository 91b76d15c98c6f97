"""Free nodes that meet requirements: a search, and what statements about them consist of.

A search is a hint: the transaction that takes a node locks it and checks it again. A search returns few nodes from a
random point on, so that conductors that search at the same time do not all try the same node first:

    SELECT uuid FROM nodes
     WHERE resource_class = … AND provision_state = 'available' AND … AND <its unit is unclaimed>
       AND <it has each trait> AND id BETWEEN <random point> AND <last> ORDER BY id LIMIT 32

When few nodes have the traits (``bearers``), it looks up those, and no others.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
)

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.queries import bearers
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.tables import bookings, hosts
from dibs.ledger.tables import inventories, provider_traits
from dibs.machines.model import states
from dibs.machines.tables import holds, nodes

FOUND_MAX = 32
LOOKED_UP_MIN = 64
"""How many nodes with rare traits are looked up at least: most of them are free, or none is."""
LAST_ID = 2**63 - 1

# Two statements in one: SQLite reads either end of the index for one of them, and the whole index for both.
_BOUNDS = select(
    select(func.min(nodes.c.id)).scalar_subquery().label("first"),
    select(func.max(nodes.c.id)).scalar_subquery().label("last"),
)
POWERED = and_(nodes.c.power_state.is_not(None), nodes.c.power_state != states.POWER_ERROR)
UNCLAIMED = exists().where(
    inventories.c.provider_id == nodes.c.id, inventories.c.used == 0, inventories.c.reserved == 0
)
# The end of a lease removes its bookings: every row belongs to a lease that runs or is still to come.
_BOOKED = exists().where(hosts.c.provider_id == nodes.c.id, bookings.c.host_id == hosts.c.id)
_BOOKED_FROM = (
    select(func.min(bookings.c.start_at))
    .join(hosts, hosts.c.id == bookings.c.host_id)
    .where(hosts.c.provider_id == bindparam("of_node"))
)
IN_SERVICE = (nodes.c.maintenance == 0, nodes.c.retired == 0)
_READY = (nodes.c.provision_state == states.AVAILABLE, POWERED)
_FREE = (*_READY, *IN_SERVICE, nodes.c.instance_uuid.is_(None), UNCLAIMED, not_(_BOOKED))


class Shape(NamedTuple):
    """What the statement depends on; the rest of the requirements are its parameters."""

    traits: int
    candidates: int
    owned: bool


def search(tx: Transaction, required: Requirements, point: float, found_max: int = FOUND_MAX) -> list[str]:
    """Return the uuids of free nodes, from a point (0 to 1) of all nodes on; none only when none is free."""
    suitable_ids = bearers.with_traits(tx, required.traits)
    if suitable_ids is not None:
        return _look_up(tx, required, suitable_ids, point, found_max)
    values = {**values_of(required), "found_max": found_max}
    statement = _search(shape_of(required))
    if point == 0.0:
        return tx.values(statement, {**values, "start": 0, "end": LAST_ID})
    first, last = tx.tuples(_BOUNDS)[0]
    if first is None:
        return []
    middle = first + int((last - first + 1) * point)
    found: list[str] = tx.values(statement, {**values, "start": middle, "end": last})
    if len(found) < found_max:
        found += tx.values(statement, {**values, "start": first, "end": middle - 1})
    return found[:found_max]


def _look_up(tx: Transaction, required: Requirements, ids: Sequence[int], point: float, found_max: int) -> list[str]:
    """Return the uuids of those of the nodes that are free, from a point of the list on."""
    middle = int(len(ids) * point)
    ids = [*ids[middle:], *ids[:middle]]
    required = replace(required, traits=())
    first = max(LOOKED_UP_MIN, 2 * found_max)
    found: list[str] = []
    for some in (ids[:first], ids[first:]):
        if some and len(found) < found_max:
            values = {**values_of(required), "listed": sets.listed(some)}
            looked_up = dict(tx.tuples(_free_among(shape_of(required)), values))
            found += [uuid for node_id in some if (uuid := looked_up.get(node_id)) is not None]
    return found[:found_max]


def named(tx: Transaction, required: Requirements, names: Sequence[str]) -> dict[str, str]:
    """Return the uuids of the free nodes with these names, by name."""
    listed = sets.padded(names)
    values = {**values_of(required), **sets.numbered("name", listed)}
    return dict(tx.tuples(_search_by_name(shape_of(required), len(listed)), values))


def free_from(tx: Transaction, required: Requirements, now: int, count_max: int) -> list[int]:
    """Return when nodes become free that only users with a known end keep from being free now, soonest first."""
    if bearers.with_traits(tx, required.traits) == []:
        return []
    found = tx.values(_free_from(shape_of(required)), {**values_of(required), "now": now, "count_max": count_max})
    # An instance whose time is over may still be on its node, because a conductor is taking it off.
    return [max(now, moment) for moment in found]


def booked_from(tx: Transaction, node_id: int) -> int | None:
    """Return when the first lease of a node begins; None without leases."""
    start: int | None = tx.values(_BOOKED_FROM, {"of_node": node_id})[0]
    return start


def shape_of(required: Requirements) -> Shape:
    """Return what a statement about these requirements depends on."""
    return Shape(len(required.traits), len(required.candidate_nodes), required.owner is not None)


def values_of(required: Requirements) -> dict[str, Any]:
    """Return the parameters of a statement about these requirements."""
    values = {
        "of_class": required.resource_class,
        **sets.numbered("trait", required.traits),
        **sets.numbered("candidate", required.candidate_nodes),
    }
    return values if required.owner is None else {**values, "of_project": required.owner}


def concerned(shape: Shape) -> list[ColumnElement[bool]]:
    """Select the nodes of the class, the candidates and the project, free or not; the class comes first."""
    clauses: list[ColumnElement[bool]] = [nodes.c.resource_class == bindparam("of_class")]
    if shape.candidates:
        clauses.append(nodes.c.uuid.in_(sets.binds("candidate", shape.candidates)))
    if shape.owned:
        project: Any = bindparam("of_project")
        clauses.append(or_(nodes.c.owner == project, nodes.c.lessee == project))
    return clauses


def suitable(shape: Shape) -> list[ColumnElement[bool]]:
    """Select the nodes of the class, the candidates and the project that have every trait, free or not."""
    return [*concerned(shape), *(has_trait(number) for number in range(shape.traits))]


def has_trait(number: int) -> ColumnElement[bool]:
    """Select the nodes that have a required trait."""
    return exists().where(
        provider_traits.c.provider_id == nodes.c.id, provider_traits.c.trait == bindparam(f"trait_{number}")
    )


def missing_traits(shape: Shape) -> ColumnElement[int]:
    """Return an expression for the required traits that a node lacks; each sets one bit (``traits_of``)."""
    bits = [case((has_trait(number), 0), else_=literal(1 << number, BigInteger)) for number in range(shape.traits)]
    return sum(bits, start=literal(0, BigInteger))


def traits_of(required: Requirements, bits: int) -> tuple[str, ...]:
    """Return the required traits whose bits are set."""
    return tuple(trait for number, trait in enumerate(required.traits) if int(bits) >> number & 1)


def free(conditions: Sequence[ColumnElement[bool]], *columns: ColumnElement[Any]) -> Select[Any]:
    """Return the statement that selects columns of free nodes."""
    return select(*columns).where(*conditions, *_FREE, nodes.c.reservation.is_(None))


def _suitable(shape: Shape) -> Select[Any]:
    return free(suitable(shape), nodes.c.uuid)


# In look-ups all conditions are in the result, so that no planner begins with another index than that of the ids.


@lru_cache(maxsize=500)
def _free_among(shape: Shape) -> sets.Among:
    """SELECT id and, of a free node, the uuid FROM nodes of a list."""
    free_now = and_(*suitable(shape), *_FREE, nodes.c.reservation.is_(None))
    return sets.Among(select(nodes.c.id, case((free_now, nodes.c.uuid)).label("free")), nodes.c.id, "listed")


@lru_cache(maxsize=500)
def _search(shape: Shape) -> Select[Any]:
    statement = _suitable(shape).where(nodes.c.id.between(bindparam("start"), bindparam("end")))
    return statement.order_by(nodes.c.id).limit(bindparam("found_max"))


@lru_cache(maxsize=500)
def _search_by_name(shape: Shape, count: int) -> Select[Any]:
    named_so = nodes.c.name.in_(sets.binds("name", count))
    return free(suitable(shape), nodes.c.name, nodes.c.uuid).where(named_so)


@lru_cache(maxsize=500)
def _free_from(shape: Shape) -> Select[Any]:
    """SELECT the end of the hold, of the instance or of the last lease, the latest, FROM nodes without other users."""
    held = select(holds.c.expires_at).where(holds.c.node_id == nodes.c.id, holds.c.expires_at > bindparam("now"))
    booked = (
        select(func.max(bookings.c.end_at))
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .where(hosts.c.provider_id == nodes.c.id)
    )
    # A conductor does not take the instance off a protected node.
    leaves = and_(nodes.c.instance_until.is_not(None), nodes.c.protected == 0)
    unused = and_(*_READY, nodes.c.instance_uuid.is_(None), or_(held.exists(), and_(UNCLAIMED, _BOOKED)))
    used_until = func.coalesce(nodes.c.instance_until, held.scalar_subquery(), 0).label("used_until")
    ends = (
        select(used_until, func.coalesce(booked.scalar_subquery(), 0).label("booked"))
        .where(*suitable(shape), *IN_SERVICE, or_(leaves, unused))
        .subquery("ends")
    )
    later = case((ends.c.used_until > ends.c.booked, ends.c.used_until), else_=ends.c.booked)
    return select(later.label("moment")).order_by(later).limit(bindparam("count_max"))
