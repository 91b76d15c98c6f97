"""Promised starts: when each entry of the queue gets its nodes at the latest, and what moved that moment.

A forecast walks the queue from its head. Each entry takes the nodes that become free first, and keeps them for its
lifetime. So an entry starts in time unless one of the nodes that it counts on is gone, stays in use for longer, or goes
to an entry ahead: when a promise moves to a later moment, one of these three happened, and the promise names it.
"""

import heapq
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from dibs.allocations.model.allocations import Lifetime, Requirements
from dibs.leases.model.matching.shortages import format_minute
from dibs.machines.model import states
from dibs.machines.model.conductors import after
from dibs.quotas.model.rooms import Room
from dibs.quotas.model.uses import NEVER


class ExpectedNode(NamedTuple):
    """A node, and when it becomes free."""

    uuid: str
    label: str
    """Its name, or its uuid."""
    free_at: int
    """0 for a free node, NEVER when the moment is not known."""
    state: str
    """Why it is not free, as the predicate of a sentence; empty for a free node."""


class NodeUse(Struct, frozen=True, kw_only=True):
    """A node in service, and what keeps it from being free."""

    uuid: str
    name: str | None
    provision_state: str
    provision_updated_at: int | None
    powered: bool
    protected: bool
    instance_uuid: str | None
    instance_until: int | None
    held_until: int | None
    booked_until: int | None
    unclaimed: bool
    """No consumer of the ledger has claimed it."""


class ForecastEntry(Struct, frozen=True):
    """An entry of the queue."""

    key: str
    requirements: Requirements
    count: int
    lifetime: Lifetime
    id: int = 0
    """Its position by age: an entry ahead with a higher one came later, and is ahead by fair share."""


class Promise(NamedTuple):
    """What an entry is told about its turn."""

    start: int | None = None
    """When it has its nodes at the latest; None when that is not known."""
    nodes: tuple[str, ...] = ()
    """The uuids of the nodes that it counts on; the last one becomes free last."""
    depends_on: str = ""
    """What the start depends on while it is not known."""
    moved_by: str = ""
    """What last moved the start to a later moment."""


class Outlook(NamedTuple):
    """The nodes that suit an entry, as it finds them after the entries ahead."""

    entry: ForecastEntry
    start: int
    nodes: tuple[str, ...]
    suitable: Mapping[str, ExpectedNode]
    taken: Mapping[str, ForecastEntry]
    """The entry ahead that takes a node, by the uuid of the node."""
    quota: str = ""
    """Why the quota of its project keeps it from its nodes at the start."""

    def ahead(self, uuid: str) -> str:
        """Name the entry ahead that takes a node; the project learns nothing about the entries of others."""
        other, own = self.taken[uuid], self.entry
        named = f"allocation {other.key}" if other.requirements.owner == own.requirements.owner else "an allocation"
        return f"{named} that came later, ahead by fair share," if other.id > own.id else f"{named} ahead in the queue"


def expect(node: NodeUse, now: int, turnover_seconds: float) -> ExpectedNode:
    """Return when a node becomes free, and why not before."""
    free_at, state = _user_leaves(node, now, turnover_seconds)
    if node.booked_until is not None and free_at < NEVER:
        released = after(node.booked_until, turnover_seconds)
        if released > free_at:
            free_at, state = released, f"is booked until {format_minute(node.booked_until)}"
    return ExpectedNode(node.uuid, node.name or node.uuid, free_at, state)


def forecast(
    entries: Sequence[ForecastEntry],
    nodes: Mapping[Requirements, Sequence[ExpectedNode]],
    now: int,
    busy_seconds: float = 0,
    rooms: Mapping[str, Room] = MappingProxyType({}),
) -> list[Outlook]:
    """Return the outlook of each entry, in queue order.

    ``busy_seconds`` pass from the end of a lifetime until the next entry can have the node. ``rooms`` are what the
    quotas of projects leave; an entry that its quota stops leaves its nodes to those behind.
    """
    free_at: dict[str, int] = {}
    taken: dict[str, ForecastEntry] = {}
    outlooks = []
    for entry in entries:
        suitable = {node.uuid: node for node in nodes[entry.requirements]}
        moments = [(free_at.get(uuid, node.free_at), index) for index, (uuid, node) in enumerate(suitable.items())]
        order = list(suitable)
        chosen = [(moment, order[index]) for moment, index in heapq.nsmallest(entry.count, moments)]
        start = chosen[-1][0] if len(chosen) == entry.count else NEVER
        counted_on = tuple(uuid for _, uuid in chosen)
        stopped = _stopped(entry, max(start, now), rooms) if start < NEVER else ""
        if stopped:
            outlooks.append(Outlook(entry, NEVER, (), suitable, dict(taken), stopped))
            continue
        outlooks.append(Outlook(entry, start, counted_on, suitable, dict(taken)))
        if start < NEVER or entry.count > 1:  # A batch keeps the nodes that it has while it waits for the others.
            for _, uuid in chosen:
                free_at[uuid] = _end(entry.lifetime, max(start, now), busy_seconds)
                taken[uuid] = entry
    return outlooks


def keep_promise(before: Promise, outlook: Outlook, now: int) -> Promise:
    """Return the promise of an entry: it moves to an earlier moment, or names what moved it to a later one."""
    promised = NEVER if before.start is None else before.start
    if outlook.start == NEVER:
        lost = _lost(before, outlook) if before.start is not None else before.moved_by
        return Promise(None, outlook.nodes, _dependency(outlook), lost)
    if outlook.start <= promised:
        return Promise(min(promised, max(outlook.start, now)), outlook.nodes, "", before.moved_by)
    return Promise(outlook.start, outlook.nodes, "", _lost(before, outlook))


def _user_leaves(node: NodeUse, now: int, turnover_seconds: float) -> tuple[int, str]:
    if node.instance_uuid is not None:
        if node.instance_until is None or node.protected:
            return NEVER, "has no end"
        return _in_time(node, node.instance_until, now, turnover_seconds)
    if node.held_until is not None:
        return node.held_until, f"is reserved until {format_minute(node.held_until)}"
    if node.provision_state in states.PHASES:
        return _in_time(node, node.provision_updated_at or 0, now, turnover_seconds)
    if node.provision_state != states.AVAILABLE or not node.powered:
        return NEVER, f"is {node.provision_state}"
    return (0, "") if node.unclaimed else (NEVER, "has no end")


def _in_time(node: NodeUse, begin: int, now: int, turnover_seconds: float) -> tuple[int, str]:
    """Return the moment at which a node that is turned over from a moment on is free; NEVER when that has passed."""
    free_at = after(begin, turnover_seconds)
    if free_at <= now:
        return NEVER, f"should be free, but is {node.provision_state}"
    return free_at, f"is in use until {format_minute(begin)}" if begin > now else f"is {node.provision_state}"


def _stopped(entry: ForecastEntry, start: int, rooms: Mapping[str, Room]) -> str:
    """Return why a quota stops an entry at its start; count its nodes when it does not."""
    room = rooms.get(entry.requirements.owner or "")
    if room is None:
        return ""
    asked = (entry.requirements.resource_class, entry.count, start, entry.lifetime.end_from(start))
    exceeded = room.reason_against(*asked)
    if exceeded is not None:
        return str(exceeded)
    room.add(*asked)
    return ""


def _lost(before: Promise, outlook: Outlook) -> str:
    """Name what happened to one of the nodes that a promise counted on, or the quota that stops it."""
    assert before.start is not None
    if outlook.quota:
        return outlook.quota
    for uuid in before.nodes:
        node = outlook.suitable.get(uuid)
        if node is None:
            return f"node {uuid} went out of service, or no longer suits it"
        if node.free_at > before.start:
            return f"node {node.label} {node.state}"
        if uuid in outlook.taken and uuid not in outlook.nodes:
            return f"{outlook.ahead(uuid)} takes node {node.label}"
        if uuid in outlook.taken:
            return f"{outlook.ahead(uuid)} has node {node.label} before"
    return ""


def _dependency(outlook: Outlook) -> str:
    """Return what an entry without a known start waits for."""
    if outlook.quota:
        return outlook.quota
    if not outlook.suitable:
        return "no node in service suits it"
    endless = next((uuid for uuid in outlook.nodes if outlook.suitable[uuid].free_at == NEVER), None)
    if endless is not None:
        return f"node {outlook.suitable[endless].label} {outlook.suitable[endless].state}"
    ahead = next((uuid for uuid in reversed(outlook.nodes) if uuid in outlook.taken), None)
    if ahead is not None:
        return f"{outlook.ahead(ahead)} has no end"
    return "too few nodes in service suit it"


def _end(lifetime: Lifetime, start: int, busy_seconds: float) -> int:
    end = NEVER if start >= NEVER else lifetime.end_from(start)
    return NEVER if end >= NEVER else after(max(end, start), busy_seconds)
