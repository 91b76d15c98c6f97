"""Which queue entries a conductor tries now or takes over, and which free nodes belong to entries ahead."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.queue import QueueEntry, QueueSimulation, WaitingEntry
from dibs.allocations.queries import bearers, free_nodes, queue
from dibs.database.transaction import Transaction
from dibs.machines.queries import conductors
from dibs.quotas.operations.sources import read_rooms

END_OF_QUEUE = 2**62
"""A position behind every allocation."""


class ListEntries(Struct, frozen=True, kw_only=True):
    """Entries that a conductor tries now."""

    incarnation: str
    count_max: int


class ReadyEntries(Struct, frozen=True, kw_only=True):
    """Waiting entries of a conductor that can have their nodes now, in queue order."""

    entries: tuple[QueueEntry, ...] = ()
    any_waiting: bool = False
    """Whether any of its allocations waits, ready or not."""


class TakeOverAllocations(Struct, frozen=True, kw_only=True):
    """Move every open allocation of a failed conductor to another."""

    conductor_id: int
    incarnation: str
    """The conductor that takes over."""


def list_due_entries(tx: Transaction, access: Access, now: int, command: ListEntries) -> list[QueueEntry]:
    """Return the entries that do not wait, or no longer, and the batches, which may have become impossible to match."""
    return queue.due(tx, command.incarnation, now, command.count_max)


def list_ready_entries(tx: Transaction, access: Access, now: int, command: ListEntries) -> ReadyEntries:
    """Simulate the queue of all conductors, and return the entries of this one that get their nodes."""
    conductor = conductors.get_by_incarnation(tx, command.incarnation)
    if conductor is None or not queue.any_waiting(tx, command.incarnation, now):
        return ReadyEntries()
    served = _with_free_node(tx, queue.kinds(tx, now))
    classes = sorted({required.resource_class or "" for required in served})
    entries = [each for each in queue.waiting(tx, classes, now) if each.requirements in served] if served else []
    simulation, ready = _simulate(tx, now, entries), []
    for waiting in entries:
        if simulation.take(waiting) and waiting.conductor_id == conductor.id:
            ready.append(waiting.entry)
            if len(ready) == command.count_max:
                break
    return ReadyEntries(entries=tuple(ready), any_waiting=True)


def promised_nodes(
    tx: Transaction, now: int, resource_class: str | None, position: int = END_OF_QUEUE
) -> Collection[str]:
    """Return the uuids of the free nodes that waiting entries ahead of a position take or keep."""
    served = _with_free_node(tx, queue.kinds_ahead(tx, resource_class, position, now))
    if not served:
        return ()
    ahead = [each for each in queue.waiting_ahead(tx, resource_class, position, now) if each.requirements in served]
    simulation = _simulate(tx, now, ahead)
    for waiting in ahead:
        simulation.take(waiting)
    return simulation.taken


def list_failed_conductors(tx: Transaction, access: Access, now: int, command: None) -> list[int]:
    """Return the ids of conductors that failed or stopped and have open allocations."""
    return queue.failed_conductors(tx, now)


def take_over_allocations(tx: Transaction, access: Access, now: int, command: TakeOverAllocations) -> int:
    """Move all of them in one statement, so that no batch is split; return how many moved."""
    taker = conductors.get_by_incarnation(tx, command.incarnation)
    former = conductors.get_by_id(tx, command.conductor_id)
    if taker is None or former is None or former.id == taker.id or former.alive(now):
        return 0
    return queue.move_all(tx, from_conductor=former.id, to_conductor=taker.id)


def _with_free_node(tx: Transaction, kinds: Iterable[Requirements]) -> set[Requirements]:
    """Return the requirements that a free node meets: entries with others take no node, and keep none from later ones.

    Most entries of a long queue wait for nodes that are in use, and the simulation need not read them.
    """
    return {required for required in bearers.possible(tx, kinds) if free_nodes.search(tx, required, 0.0, 1)}


def _simulate(tx: Transaction, now: int, entries: Sequence[WaitingEntry]) -> QueueSimulation:
    def search(required: Requirements, found_max: int) -> list[str]:
        return free_nodes.search(tx, required, 0.0, found_max)

    return QueueSimulation(search, read_rooms(tx, now, owners_of(entries)), now)


def owners_of(entries: Iterable[WaitingEntry]) -> list[str]:
    """Return the projects of entries."""
    return sorted({each.requirements.owner for each in entries if each.requirements.owner is not None})
