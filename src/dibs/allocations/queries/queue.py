"""Those who wait for a node, in the order of their coming.

The line is read often and may be long, so it is read in thin rows: what an allocation wants stays text until a search
needs it, and allocations that want the same have the same text.
"""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from dibs.allocations.model.allocations import ALLOCATING, Allocation
from dibs.allocations.queries.free_nodes import SOME_FREE_NODE
from dibs.allocations.tables import allocations
from dibs.database.transaction import Row, Transaction
from dibs.machines.tables import conductors


class Kind(NamedTuple):
    """What somebody wants, as it is stored."""

    resource_class: str | None
    traits: str
    candidate_nodes: str
    owner: str | None

    def allocation(self) -> Allocation:
        """An allocation for it, to search with."""
        return Allocation(
            id=0,
            uuid="",
            resource_class=self.resource_class,
            traits=tuple(json.loads(self.traits)),
            candidate_nodes=tuple(json.loads(self.candidate_nodes)),
            owner=self.owner,
            created_at=0,
        )


@dataclass(slots=True, kw_only=True)
class InLine:
    """One place in the line: an allocation, or a batch that wants all its nodes together."""

    key: str
    """The uuid of the allocation, or of the batch."""
    batch: bool
    conductor_id: int
    kind: Kind
    count: int = 1


# One whose conductor is dead keeps nobody waiting: it cannot be served before another takes it over.
_WAITING = (
    select(
        *(
            allocations.c[name]
            for name in ("uuid", "batch", "conductor_id", "resource_class", "traits", "candidate_nodes", "owner")
        )
    )
    .join(conductors, conductors.c.id == allocations.c.conductor_id)
    .where(
        allocations.c.state == ALLOCATING,
        allocations.c.wait_until > bindparam("now"),
        conductors.c.online == 1,
        conductors.c.alive_until >= bindparam("now"),
    )
    .order_by(allocations.c.id)
)
_AHEAD = _WAITING.where(
    allocations.c.resource_class == bindparam("of_class"), allocations.c.id < bindparam("before_id")
)
_WITH_HOPE = _WAITING.where(SOME_FREE_NODE)
_SOMEBODY = (
    select(allocations.c.id)
    .join(conductors, conductors.c.id == allocations.c.conductor_id)
    .where(
        allocations.c.state == ALLOCATING,
        allocations.c.wait_until > bindparam("now"),
        conductors.c.incarnation == bindparam("of_incarnation"),
    )
    .limit(1)
)


def ahead(tx: Transaction, allocation: Allocation, now: int) -> list[InLine]:
    """Those who want a node of the same class and have waited longer."""
    values: dict[str, Any] = {"of_class": allocation.resource_class, "before_id": allocation.id, "now": now}
    return _grouped(tx.rows(_AHEAD, values))


def with_hope(tx: Transaction, now: int) -> list[InLine]:
    """All who want a class of which some node is free, whether it has the traits or not."""
    return _grouped(tx.rows(_WITH_HOPE, {"now": now}))


def has_any_of(tx: Transaction, incarnation: str, now: int) -> bool:
    """True when somebody waits whom this conductor is to serve."""
    return bool(tx.values(_SOMEBODY, {"of_incarnation": incarnation, "now": now}))


def _grouped(rows: list[Row]) -> list[InLine]:
    """A batch stands where its first stands."""
    line: dict[str, InLine] = {}
    for row in rows:
        key = row["batch"] or row["uuid"]
        if key in line:
            line[key].count += 1
            continue
        kind = Kind(row["resource_class"], row["traits"], row["candidate_nodes"], row["owner"])
        line[key] = InLine(key=key, batch=row["batch"] is not None, conductor_id=row["conductor_id"], kind=kind)
    return list(line.values())
