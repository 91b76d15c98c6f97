"""Promise each allocation in the queue when it has its node at the latest, and name what moves that moment.

Conductors renew the promises of their allocations every few seconds. Nothing is locked: a promise is a forecast, and
the transaction that grants a node decides.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby, takewhile
from typing import NamedTuple

from msgspec import Struct, field

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.allocations.model.allocations import ALLOCATING, Allocation, Requirements
from dibs.allocations.model.forecasts import ExpectedNode, ForecastEntry, Promise, expect, forecast, keep_promise
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.model.queue import QueueEntry, entry_of
from dibs.allocations.operations.allocations import get_allocation
from dibs.allocations.operations.queue import entries_ahead, list_waiting_entries
from dibs.allocations.queries import bearers, forecasts, queue, waiting
from dibs.database.transaction import Transaction
from dibs.machines.queries import conductors
from dibs.quotas.operations.shares import half_life_of
from dibs.quotas.operations.sources import read_rooms

ALLOCATIONS_MAX = 500
"""How many waiting allocations get a promise: those at the head of the queue."""
KINDS_MAX = 50
"""How many different requirements are looked at; each takes a statement."""
NODES_MAX = 1_000
"""How many nodes are looked at for each of them."""


class UpdatePromises(Struct, frozen=True, kw_only=True):
    """Renew the promises of a conductor's allocations."""

    incarnation: str
    rules: LifetimeRules = field(default_factory=LifetimeRules)


class ListQueue(Struct, frozen=True, kw_only=True):
    """List the allocations of some projects that wait."""

    projects: VisibleProjects


class QueuedAllocation(NamedTuple):
    """An allocation and its position in the queue."""

    allocation: Allocation
    position: int | None
    """1 for the first; None for an allocation that does not wait."""


class Queue(NamedTuple):
    """The head of the queue as a caller sees it."""

    waiting: int
    """How many allocations wait, of every project."""
    visible: list[QueuedAllocation]
    """Those of the projects that were asked for, in queue order."""


def get_queued_allocation(tx: Transaction, access: Access, now: int, ident: str) -> QueuedAllocation:
    """Return an allocation by uuid or name, and its position among those that wait for its class."""
    allocation = get_allocation(tx, access, now, ident)
    if allocation.state != ALLOCATING or not allocation.waits(now):
        return QueuedAllocation(allocation, None)
    members = [allocation]
    if allocation.batch is not None:
        members = queue.open_allocations(tx, QueueEntry(key=allocation.batch, batch=True))
    return QueuedAllocation(allocation, len(entries_ahead(tx, now, entry_of(members, now))) + 1)


def list_queue(tx: Transaction, access: Access, now: int, command: ListQueue) -> Queue:
    """Return the allocations at the head of the queue, each with its position among those that wait for its class."""
    entries = _read_head(tx, now)
    positions: Counter[str | None] = Counter()
    visible = []
    for members in entries:
        positions[members[0].resource_class] += 1
        visible += [
            QueuedAllocation(each, positions[each.resource_class])
            for each in members
            if command.projects is EVERY_PROJECT or each.owner in command.projects
        ]
    return Queue(sum(map(len, entries)), visible)


def update_promises(tx: Transaction, access: Access, now: int, command: UpdatePromises) -> int:
    """Compare the promises with a new forecast, and store those that change; return how many."""
    conductor = conductors.get_by_incarnation(tx, command.incarnation)
    entries = _read_head(tx, now) if conductor is not None else []
    kinds = list(dict.fromkeys(members[0].requirements for members in entries))[:KINDS_MAX]
    turnover = command.rules.turnover_seconds
    nodes: dict[Requirements, list[ExpectedNode]] = {kind: [] for kind in kinds}
    for kind in bearers.possible(tx, kinds):
        nodes[kind] = [expect(use, now, turnover) for use in forecasts.uses(tx, kind, now, NODES_MAX)]
    entries = [members for members in entries if members[0].requirements in nodes]
    owners = sorted({members[0].owner for members in entries if members[0].owner is not None})
    outlooks = forecast(
        [_forecast_entry(members) for members in entries],
        nodes,
        now,
        command.rules.grace_seconds + turnover,
        read_rooms(tx, now, owners),
    )
    changed = [
        (allocation, promise)
        for members, outlook in zip(entries, outlooks, strict=True)
        if (promise := keep_promise(before := _promise_of(members[0]), outlook, now)) != before
        for allocation in members
        if conductor is not None and allocation.conductor_id == conductor.id
    ]
    forecasts.keep(tx, changed, command.incarnation)
    return len(changed)


def _read_head(tx: Transaction, now: int) -> list[list[Allocation]]:
    """Return the allocations of each entry at the head of the queue, in queue order."""
    if half_life_of(tx) is None:
        return _entries(waiting.head(tx, now, ALLOCATIONS_MAX))
    ordered = list_waiting_entries(tx, now)
    reach = takewhile(lambda total: total <= ALLOCATIONS_MAX, accumulate(each.count for each in ordered))
    return waiting.allocations_of(tx, ordered[: sum(1 for _ in reach)])


def _entries(allocations: Sequence[Allocation]) -> list[list[Allocation]]:
    """Group allocations into entries, in queue order: a batch has the position of its first allocation."""
    first: dict[str, int] = {}
    for allocation in allocations:
        first.setdefault(allocation.batch or allocation.uuid, allocation.id)
    ordered = sorted(allocations, key=lambda each: (first[each.batch or each.uuid], each.id))
    return [list(members) for _, members in groupby(ordered, key=lambda each: each.batch or each.uuid)]


def _forecast_entry(members: Sequence[Allocation]) -> ForecastEntry:
    head = members[0]
    return ForecastEntry(head.batch or head.name or head.uuid, head.requirements, len(members), head.lifetime, head.id)


def _promise_of(allocation: Allocation) -> Promise:
    return Promise(
        allocation.promised_at, allocation.promise_nodes, allocation.depends_on or "", allocation.moved_by or ""
    )
