"""Explain why nodes are not available, and when they will be."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.model.allocations import Requirements, check_resource_class
from dibs.allocations.model.shortages import FREE, PROMISED, explain_shortage, reason_codes
from dibs.allocations.operations.creating import find_candidates
from dibs.allocations.operations.queue import promised_nodes
from dibs.allocations.queries import free_nodes
from dibs.database.transaction import Transaction
from dibs.ledger.model.traits import check_traits

SEARCHED_MAX = 10_000
"""How many free nodes are searched for promised ones."""


class ExplainNodes(Struct, frozen=True, kw_only=True):
    """The nodes that an allocation would ask for."""

    resource_class: str
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids or names."""
    owner: str | None = None
    count: int = 1


class Explanation(NamedTuple):
    """The answer to an allocation that would be created now."""

    fits: bool
    """Enough nodes are free."""
    free: int
    reasons: Mapping[str, int]
    """How many nodes are not free, by the code of the first reason."""
    text: str
    earliest: int | None
    """When enough nodes are free: now, when holds and leases end, or None when that is unknown."""


def explain_nodes(tx: Transaction, access: Access, now: int, command: ExplainNodes) -> Explanation:
    """Count the free nodes, and the others by the first reason against them. A read."""
    check_traits(command.traits)
    check_resource_class(command.resource_class)
    required = Requirements(
        resource_class=command.resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=find_candidates(tx, access, command.candidate_nodes),
        owner=command.owner,
    )
    counts = free_nodes.count_reasons(tx, required)
    promised = _count_promised(tx, now, required) if PROMISED in counts else 0
    free = counts.pop(PROMISED, 0) - promised
    reasons = {**counts, PROMISED: promised} if promised else counts
    return Explanation(
        fits=free >= command.count,
        free=free,
        reasons=reason_codes(required, reasons),
        text=explain_shortage(required, {FREE: free, **reasons} if free else reasons),
        earliest=now if free >= command.count else _when_enough(tx, now, required, command.count - free),
    )


def _count_promised(tx: Transaction, now: int, required: Requirements) -> int:
    """Return how many of the free nodes go to allocations in the queue."""
    promised = promised_nodes(tx, now, required.resource_class)
    if not promised:
        return 0
    # In the order of node ids, in which the queue takes them.
    return len(set(free_nodes.search(tx, required, 0.0, SEARCHED_MAX)) & set(promised))


def _when_enough(tx: Transaction, now: int, required: Requirements, missing: int) -> int | None:
    ends = free_nodes.free_from(tx, required, now, missing)
    return ends[-1] if len(ends) == missing else None
