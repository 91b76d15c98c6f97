"""Which queue entries a conductor tries now or takes over, and which free nodes belong to entries ahead."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

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
    ordered = _in_order(tx, now, lambda: _with_those_ahead(tx, now, [entry], served), entry.requirements.owner)
    return ordered[: ordered.index(entry)]


def promised_nodes(tx: Transaction, now: int, entry: WaitingEntry) -> Collection[str]:
    """Return the uuids of the free nodes that waiting entries ahead of an entry take or keep."""
    served = _served_ahead(tx, now, [entry])
    if not served:
        return ()
    ahead = entries_ahead(tx, now, entry, served)
    simulation = _simulate(tx, now, ahead)
    for each in ahead:
        simulation.take(each)
    return simulation.taken


def choose_nodes(
    tx: Transaction, now: int, entries: Sequence[WaitingEntry], preferred: Mapping[str, str], point: float
) -> dict[str, tuple[str, ...]]:
    """Return the nodes that entries take after those ahead of each, by the entry's key; those that find too few miss.

    ``preferred`` names the node that an entry takes if it can. Only where the order of the queue is that of arrival:
    each grant changes the order of fair share.
    """
    served = _served_ahead(tx, now, entries)
    ordered = _by_age(_with_those_ahead(tx, now, entries, served) if served else entries)
    # As the grants check it: those ahead take the first nodes.
    simulation = _simulate(tx, now, ordered, 0.0 if served else point)
    mine, chosen = {each.entry.key for each in entries}, {}
    for each in ordered:
        key = each.entry.key
        taken = simulation.take_nodes(each, [preferred[key]] if key in preferred else ())
        if taken is not None and key in mine:
            chosen[key] = tuple(taken)
    return chosen


def in_turn(tx: Transaction, now: int, choices: Sequence[tuple[WaitingEntry, tuple[str, ...]]]) -> set[str]:
    """Return the keys of those entries that may take the chosen nodes: no entry ahead of them takes one of these."""
    entries = [entry for entry, _ in choices]
    served = _served_ahead(tx, now, entries)
    if not served:
        return {entry.entry.key for entry in entries}
    if len(entries) == 1:
        ordered = [*entries_ahead(tx, now, entries[0], served), *entries]
    else:
        ordered = _by_age(_with_those_ahead(tx, now, entries, served))
    simulation, chosen = _simulate(tx, now, ordered), {entry.entry.key: nodes for entry, nodes in choices}
    allowed = set()
    for each in ordered:
        nodes = chosen.get(each.entry.key)
        if nodes is not None and simulation.take_these(nodes):
            allowed.add(each.entry.key)
        elif nodes is None or each.entry.waits:
            simulation.take(each)
    return allowed


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


def _last_id_ahead(tx: Transaction, entries: Sequence[WaitingEntry]) -> int:
    """Return the id before which all entries ahead of any of some entries are."""
    return max(each.id for each in entries) if half_life_of(tx) is None else END_OF_QUEUE


def _served_ahead(tx: Transaction, now: int, entries: Sequence[WaitingEntry]) -> set[Requirements]:
    """Return those requirements of waiting entries ahead of any of some entries that a free node meets."""
    return _with_free_node(tx, waiting.kinds_ahead(tx, _classes_of(entries), _last_id_ahead(tx, entries), now))


def _with_those_ahead(
    tx: Transaction, now: int, entries: Sequence[WaitingEntry], served: Collection[Requirements] | None
) -> list[WaitingEntry]:
    """Return entries, and the waiting ones that may be ahead of any of them; with ``served``, only of these kinds."""
    keys = {each.entry.key for each in entries}
    found = waiting.ahead(tx, _classes_of(entries), _last_id_ahead(tx, entries), now)
    others = (each for each in found if each.entry.key not in keys)
    return [*(each for each in others if served is None or each.requirements in served), *entries]


def _classes_of(entries: Iterable[WaitingEntry]) -> list[str]:
    return sorted({each.requirements.resource_class or "" for each in entries})


def _by_age(entries: Iterable[WaitingEntry]) -> list[WaitingEntry]:
    return sorted(entries, key=lambda each: each.id)


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


def _simulate(tx: Transaction, now: int, entries: Sequence[WaitingEntry], point: float = 0.0) -> QueueSimulation:
    def search(required: Requirements, found_max: int) -> list[str]:
        return free_nodes.search(tx, required, point, found_max)

    return QueueSimulation(search, read_rooms(tx, now, owners_of(entries)), now)


def owners_of(entries: Iterable[WaitingEntry]) -> list[str]:
    """Return the projects of entries."""
    return sorted({each.requirements.owner for each in entries if each.requirements.owner is not None})
