"""Read the nodes of a class with their uses, and what was changed since a moment."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, case, distinct, func, or_, select

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.queries import free_nodes
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.events.model.events import decode_state
from dibs.events.queries.histories import Reach
from dibs.events.tables import events
from dibs.leases.tables import bookings, hosts, lease_reservations
from dibs.ledger.tables import claims
from dibs.machines.tables import holds, nodes
from dibs.reports.model.past_nodes import BOOKING, CLAIM, HOLD, NODE, LaterChange, PastNodes

_ATTRIBUTES = (
    "name", "resource_class", "owner", "lessee", "provision_state", "power_state", "maintenance", "retired",
    "instance_uuid",
)  # fmt: skip
_USES: dict[str, Select[Any]] = {
    HOLD: select(func.count()).select_from(holds).where(holds.c.node_id == nodes.c.id),
    CLAIM: select(func.count(distinct(claims.c.consumer_id))).where(claims.c.provider_id == nodes.c.id),
    BOOKING: select(func.count(distinct(lease_reservations.c.lease_id)))
    .select_from(hosts)
    .join(bookings, bookings.c.host_id == hosts.c.id)
    .join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
    .where(hosts.c.provider_id == nodes.c.id),
}
_OF_NODE = events.c.type.like(f"{NODE}.%")
_LATER = (
    select(
        events.c.type,
        events.c.node,
        case((events.c.before_state.is_not(None), 1), else_=0),
        case((events.c.after_state.is_not(None), 1), else_=0),
        # Of a use only its beginning and its end matter.
        case((_OF_NODE, events.c.before_state)),
    )
    .where(
        events.c.id > bindparam("after_id"),
        events.c.happened_at > bindparam("since"),
        events.c.node.is_not(None),
        or_(_OF_NODE, *(events.c.type.like(f"{kind}.%") for kind in _USES)),
    )
    .order_by(events.c.id.desc())
)


def later(tx: Transaction, reach: Reach) -> list[LaterChange]:
    """Return the changes of nodes and their uses after a moment, the newest first."""
    return [
        LaterChange(kind.partition(".")[0], node, bool(existed), bool(exists), decode_state(before) or {})
        for kind, node, existed, exists, before in tx.tuples(_LATER, reach._asdict())
    ]


def present(tx: Transaction, required: Requirements, others: Iterable[str]) -> PastNodes:
    """Return the nodes of the class, and others by their uuids, as they are now."""
    found = PastNodes({}, defaultdict(Counter))
    count, named = len(required.traits), sets.numbered("trait", required.traits)
    _add(found, required, tx.rows(_of_class(count), {"of_class": required.resource_class, **named}))
    for piece in sets.pieces(sorted(others)):
        _add(found, required, tx.rows(_others(count, len(piece)), {**named, **sets.numbered("uuid", piece)}))
    return found


def _add(found: PastNodes, required: Requirements, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        lacks = free_nodes.traits_of(required, row.pop("missing"))
        uuid = row.pop("uuid")
        found.uses[uuid] = Counter({kind: row.pop(kind) for kind in _USES})
        found.attributes[uuid] = {**row, "traits": [trait for trait in required.traits if trait not in lacks]}


def _select(traits: int, condition: ColumnElement[bool]) -> Select[Any]:
    return select(
        nodes.c.uuid,
        *(nodes.c[name] for name in _ATTRIBUTES),
        *(count.scalar_subquery().label(kind) for kind, count in _USES.items()),
        free_nodes.missing_traits(free_nodes.Shape(traits, 0, owned=False)).label("missing"),
    ).where(condition)


@lru_cache(maxsize=64)
def _of_class(traits: int) -> Select[Any]:
    return _select(traits, nodes.c.resource_class == bindparam("of_class"))


@sets.cached
def _others(traits: int, count: int) -> Select[Any]:
    return _select(traits, nodes.c.uuid.in_(sets.binds("uuid", count)))
