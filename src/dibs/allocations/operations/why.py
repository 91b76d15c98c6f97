"""Explain why nodes are not available, when they will be, and what is available instead."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access, VisibleProjects, visible_projects
from dibs.allocations.model.allocations import Requirements, check_resource_class
from dibs.allocations.model.offers import Supply, make_offers
from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation
from dibs.allocations.model.shortages import FREE, PROMISED, explain_shortage, explain_wanted, reason_codes
from dibs.allocations.model.verdicts import Verdict, judge
from dibs.allocations.operations.creating import find_candidates
from dibs.allocations.operations.matching import read_room
from dibs.allocations.operations.queue import new_entry, promised_nodes
from dibs.allocations.queries import free_nodes, offers, schedules, verdicts
from dibs.allocations.queries.verdicts import count_reasons
from dibs.database.transaction import Transaction
from dibs.leases.model.matching.offers import Offer
from dibs.ledger.model.traits import check_traits
from dibs.machines.model.access import check_named_node
from dibs.machines.model.holds import administers_system
from dibs.machines.queries import nodes
from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.model.rooms import Room
from dibs.quotas.model.uses import NEVER

SEARCHED_MAX = 10_000
"""How many free nodes are searched for promised ones."""
END_OF_TIME = 2**62


class ExplainNodes(Struct, frozen=True, kw_only=True):
    """The nodes that an allocation would ask for."""

    resource_class: str
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids or names."""
    owner: str | None = None
    count: int = 1
    with_offers: bool = True
    """False for a caller that could not accept an offer."""
    turnover_seconds: float = 0
    """How long it takes until a node is clean after its user left, as offers assume."""


class JudgeNodes(ExplainNodes, frozen=True, kw_only=True):
    """One page of the nodes that an allocation would ask for."""

    allocation_projects: VisibleProjects
    lease_projects: VisibleProjects
    """The projects whose allocations and leases the caller sees; of others it learns only that a node is occupied."""
    limit: int
    marker: str | None = None
    """The uuid or name of the last node of the page before."""


class Explanation(NamedTuple):
    """The answer to an allocation that would be created now."""

    fits: bool
    """Enough nodes are free."""
    free: int
    reasons: Mapping[str, int]
    """How many nodes are not free, by the code of the first reason."""
    text: str
    quota: str | None
    """The quota that this number of further nodes would exceed; None when none would be."""
    earliest: int | None
    """When enough nodes are free: now, when holds and leases end, or None when that is unknown."""
    offers: Sequence[Offer]
    """What would succeed instead; empty when enough nodes are free."""


def explain_nodes(tx: Transaction, access: Access, now: int, command: ExplainNodes) -> Explanation:
    """Count the free nodes, and the others by the first reason against them. A read."""
    required = _requirements(tx, access, command)
    counts = count_reasons(tx, required)
    promised = _count_promised(tx, now, required, command.count) if PROMISED in counts else 0
    free = counts.pop(PROMISED, 0) - promised
    reasons = {**counts, PROMISED: promised} if promised else counts
    room = read_room(tx, now, required.owner)
    exceeded = _quota_against(room, required.resource_class, command.count, now)
    if free >= command.count:
        text = explain_shortage(required, {FREE: free, **reasons})
        return Explanation(
            fits=exceeded is None,
            free=free,
            reasons=reason_codes(required, reasons),
            text=text if exceeded is None else f"{text}. {exceeded}",
            quota=None if exceeded is None else str(exceeded),
            earliest=now if exceeded is None else None,
            offers=(),
        )
    queued = offers.queued(tx)
    ahead = queued.get(required.resource_class, 0)
    ends = free_nodes.free_from(tx, required, now, command.count - free + ahead)
    supply = Supply(free=free, queued=queued, free_at=_nth(ends, command.count - free + ahead))
    found = _find_offers(tx, now, command, required, supply) if command.with_offers else ()
    text = explain_wanted(required, reasons, command.count, free)
    return Explanation(
        fits=False,
        free=free,
        reasons=reason_codes(required, reasons, missing=command.count - free - sum(reasons.values())),
        text=text if exceeded is None else f"{text}. {exceeded}",
        quota=None if exceeded is None else str(exceeded),
        earliest=_nth(ends, command.count - free) if exceeded is None else None,
        offers=[offer for offer in found if _is_within(room, command, offer, now)],
    )


def judge_nodes(tx: Transaction, access: Access, now: int, command: JudgeNodes) -> list[Verdict]:
    """Return one page of nodes, in the order of their ids, each with the reason why it is not free. A read."""
    required = _requirements(tx, access, command)
    last = None if command.marker is None else check_named_node(access, nodes.get(tx, command.marker), command.marker)
    found = verdicts.page(tx, required, 0 if last is None else last.id, command.limit)
    visible = {
        ALLOCATION: command.allocation_projects,
        LEASE: command.lease_projects,
        HOLD: visible_projects(access.actor, every=administers_system(access.actor)),
    }
    occupied: dict[int, list[Occupation]] = defaultdict(list)
    for each in schedules.occupations(tx, [node.id for node in found], 0, END_OF_TIME, now):
        occupied[each.node_id].append(each.shown_to(visible[each.kind]))
    promised = promised_nodes(tx, now, new_entry(required, command.count, now))
    return [judge(node, occupied[node.id], node.uuid in promised, now) for node in found]


def _requirements(tx: Transaction, access: Access, command: ExplainNodes) -> Requirements:
    check_traits(command.traits)
    check_resource_class(command.resource_class)
    return Requirements(
        resource_class=command.resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=find_candidates(tx, access, command.candidate_nodes),
        owner=command.owner,
    )


def _is_within(room: Room | None, command: ExplainNodes, offer: Offer, now: int) -> bool:
    """Return True when the quota of the project allows an offer."""
    resource_class = offer.resource_class or command.resource_class
    return _quota_against(room, resource_class, offer.count or command.count, now) is None


def _quota_against(room: Room | None, resource_class: str | None, count: int, now: int) -> QuotaExceeded | None:
    """Return why the quota does not allow an allocation without an end, or another one in the queue."""
    if room is None:
        return None
    return room.reason_against(resource_class, count, now, NEVER) or room.reason_against_queued(resource_class, count)


def _find_offers(
    tx: Transaction, now: int, command: ExplainNodes, required: Requirements, supply: Supply
) -> Sequence[Offer]:
    supply = replace(
        supply,
        rooms=offers.by_missing_traits(tx, required) if required.traits else {},
        classes=offers.by_class(tx, required),
    )
    return make_offers(supply, command.resource_class, command.count, now, command.turnover_seconds)


def _count_promised(tx: Transaction, now: int, required: Requirements, count: int) -> int:
    """Return how many of the free nodes go to allocations in the queue."""
    promised = promised_nodes(tx, now, new_entry(required, count, now))
    if not promised:
        return 0
    # In the order of node ids, in which the queue takes them.
    return len(set(free_nodes.search(tx, required, 0.0, SEARCHED_MAX)) & set(promised))


def _nth(moments: Sequence[int], number: int) -> int | None:
    """Return the moment with a number, counted from 1; None when there are fewer."""
    return moments[number - 1] if len(moments) >= number else None
