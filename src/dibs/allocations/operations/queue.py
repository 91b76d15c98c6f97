"""Which queue entries a conductor tries now or takes over, and which free nodes belong to entries ahead."""

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.order import in_fair_order
from dibs.allocations.model.queue import QueueEntry, QueueSimulation, WaitingEntry
from dibs.allocations.queries import bearers, free_nodes, queue, waiting
from dibs.database.transaction import Transaction
from dibs.machines.queries import conductors
from dibs.quotas.model.shares import NO_PROJECT
from dibs.quotas.operations.shares import half_life_of, read_standings
from dibs.quotas.operations.sources import read_rooms

END_OF_QUEUE = 2**62
"""An id behind that of every allocation."""


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
    served = _with_free_node(tx, waiting.kinds(tx, now))
    classes = sorted({required.resource_class or "" for required in served})

    def read() -> list[WaitingEntry]:
        return [each for each in waiting.of_classes(tx, classes, now) if each.requirements in served]

    entries = _in_order(tx, now, read) if served else []
    simulation, ready = _simulate(tx, now, entries), []
    for each in entries:
        if simulation.take(each) and each.conductor_id == conductor.id:
            ready.append(each.entry)
            if len(ready) == command.count_max:
                break
    return ReadyEntries(entries=tuple(ready), any_waiting=True)


def list_waiting_entries(tx: Transaction, now: int) -> list[WaitingEntry]:
    """Return all waiting entries, in queue order."""
    return _in_order(tx, now, lambda: waiting.every(tx, now))


def entries_ahead(
    tx: Transaction, now: int, entry: WaitingEntry, served: Collection[Requirements] | None = None
) -> list[WaitingEntry]:
    """Return the waiting entries for the class of an entry that come before it; the entry itself need not wait.

    With ``served``, only those that have these requirements.
    """
    required = entry.requirements

    def read() -> list[WaitingEntry]:
        found = waiting.ahead(tx, required.resource_class, _last_id_ahead(tx, entry), now)
        others = (each for each in found if each.entry.key != entry.entry.key)
        return [*(each for each in others if served is None or each.requirements in served), entry]

    ordered = _in_order(tx, now, read, required.owner)
    return ordered[: ordered.index(entry)]


def promised_nodes(tx: Transaction, now: int, entry: WaitingEntry) -> Collection[str]:
    """Return the uuids of the free nodes that waiting entries ahead of an entry take or keep."""
    resource_class, last_id = entry.requirements.resource_class, _last_id_ahead(tx, entry)
    served = _with_free_node(tx, waiting.kinds_ahead(tx, resource_class, last_id, now))
    if not served:
        return ()
    ahead = entries_ahead(tx, now, entry, served)
    simulation = _simulate(tx, now, ahead)
    for each in ahead:
        simulation.take(each)
    return simulation.taken


def new_entry(required: Requirements, count: int, now: int) -> WaitingEntry:
    """Return the entry of allocations that would be created now."""
    ids = (END_OF_QUEUE,) * count
    return WaitingEntry(entry=QueueEntry(key=""), conductor_id=0, requirements=required, ids=ids, created_at=now)


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


def _last_id_ahead(tx: Transaction, entry: WaitingEntry) -> int:
    """Return the id before which all entries ahead of an entry are."""
    return entry.id if half_life_of(tx) is None else END_OF_QUEUE


def _with_free_node(tx: Transaction, kinds: Iterable[Requirements]) -> set[Requirements]:
    """Return the requirements that a free node meets: entries with others take no node, and keep none from later ones.

    Most entries of a long queue wait for nodes that are in use, and the simulation need not read them.
    """
    return {required for required in bearers.possible(tx, kinds) if free_nodes.search(tx, required, 0.0, 1)}


def _in_order(
    tx: Transaction,
    now: int,
    read: Callable[[], list[WaitingEntry]],
    project: str | None = None,
) -> list[WaitingEntry]:
    """Return entries in queue order.

    What the projects have is read before the entries. A concurrent transaction that gives one of them a node in between
    removes its entry but does not count yet: the project is thought to be ahead, so that no other overtakes it.
    """
    half_life = half_life_of(tx)
    if half_life is None:
        return read()
    projects = {each or NO_PROJECT for each in (*waiting.projects(tx, now), project)}
    standings = read_standings(tx, now, half_life, sorted(projects))
    return in_fair_order(read(), standings, now, half_life)


def _simulate(tx: Transaction, now: int, entries: Sequence[WaitingEntry]) -> QueueSimulation:
    def search(required: Requirements, found_max: int) -> list[str]:
        return free_nodes.search(tx, required, 0.0, found_max)

    return QueueSimulation(search, read_rooms(tx, now, owners_of(entries)), now)


def owners_of(entries: Iterable[WaitingEntry]) -> list[str]:
    """Return the projects of entries."""
    return sorted({each.requirements.owner for each in entries if each.requirements.owner is not None})
