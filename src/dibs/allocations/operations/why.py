"""Why can I not have a node, and when could I?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dibs.access.access import Access
from dibs.allocations.model.allocations import (
    FREE,
    PROMISED,
    Allocation,
    check_resource_class,
    explain_shortage,
    reason_codes,
)
from dibs.allocations.operations.allocations import CreateAllocation, candidate_uuids
from dibs.allocations.operations.queue import promised as promised_ahead
from dibs.allocations.queries import free_nodes
from dibs.database.transaction import Transaction
from dibs.ledger.model.traits import check_traits

LAST_IN_LINE = 2**62
"""The number of an allocation that comes after all others."""
SEARCHED_MAX = 10_000
"""How many free nodes are looked through for those that are promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainNodes:
    """Ask about nodes as an allocation would, without making one."""

    kind: CreateAllocation
    resource_class: str
    count: int = 1


class Explanation(NamedTuple):
    """What would come of an allocation."""

    fits: bool
    """As many as are asked for are free at this moment."""
    free: int
    reasons: Mapping[str, int]
    """How many nodes cannot be had, by the code of the first reason."""
    text: str
    earliest: int | None
    """When there will be enough, as far as that can be known: now, when holds and leases end, or None."""


def explain_nodes(tx: Transaction, access: Access, now: int, command: ExplainNodes) -> Explanation:
    """Count the nodes that an allocation could have, and those that it could not by their reasons. A read."""
    allocation = _as_if_asked(tx, now, command)
    counts = free_nodes.count_reasons(tx, allocation)
    promised = _count_promised(tx, now, allocation) if PROMISED in counts else 0
    free = counts.pop(PROMISED, 0) - promised
    reasons = {**counts, PROMISED: promised} if promised else counts
    return Explanation(
        fits=free >= command.count,
        free=free,
        reasons=reason_codes(allocation, reasons),
        text=explain_shortage(allocation, {FREE: free, **reasons} if free else reasons),
        earliest=now if free >= command.count else _when_enough(tx, now, allocation, command.count - free),
    )


def _as_if_asked(tx: Transaction, now: int, command: ExplainNodes) -> Allocation:
    kind = command.kind
    check_traits(kind.traits)
    check_resource_class(command.resource_class)
    return Allocation(
        id=LAST_IN_LINE,
        uuid="",
        resource_class=command.resource_class,
        traits=tuple(dict.fromkeys(kind.traits)),
        candidate_nodes=candidate_uuids(tx, kind),
        owner=kind.owner,
        created_at=now,
    )


def _count_promised(tx: Transaction, now: int, allocation: Allocation) -> int:
    """How many of the nodes that are free for the allocation go to those who wait for one."""
    taken = promised_ahead(tx, now, allocation)
    if not taken:
        return 0
    # In the order of their numbers, as those who wait take them.
    return len(set(free_nodes.search(tx, allocation, 0.0, SEARCHED_MAX)) & set(taken))


def _when_enough(tx: Transaction, now: int, allocation: Allocation, missing: int) -> int | None:
    ends = free_nodes.free_from(tx, allocation, now, missing)
    return ends[-1] if len(ends) == missing else None
