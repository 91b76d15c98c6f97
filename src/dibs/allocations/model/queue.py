"""The queue: allocations that have no node yet, and which free nodes go to which of them.

Nothing is reserved in advance. A simulation walks the queue from its head: each entry takes the first free nodes that
it accepts, a batch that finds too few keeps those, and the rest is available to the entries behind. Every conductor
computes the same, so no entry overtakes an earlier one, and none waits for an earlier one that has a node of its own.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from dibs.allocations.model.allocations import Allocation, Lifetime, Requirements
from dibs.quotas.model.rooms import Room

SPARE = 32
"""How many more nodes than needed a search returns, so that the next entry with the same requirements needs none."""

Search = Callable[[Requirements, int], Sequence[str]]
"""Takes requirements and a maximum, and returns the uuids of free nodes in the order of their ids."""


class QueueEntry(Struct, frozen=True, kw_only=True):
    """Allocations that get their nodes together: one allocation, or all of a batch."""

    key: str
    """The uuid of the allocation, or of the batch."""
    batch: bool = False
    waits: bool = False
    """True until its deadline; an entry that does not wait fails when no node is free."""


class WaitingEntry(Struct, frozen=True, kw_only=True):
    """An entry that waits, with what the simulation needs to know about it."""

    entry: QueueEntry
    conductor_id: int
    requirements: Requirements
    ids: tuple[int, ...]
    """The ids of its allocations, in their order."""
    lifetime: Lifetime = Lifetime()
    created_at: int = 0

    @property
    def id(self) -> int:
        """Its position by age."""
        return self.ids[0]

    @property
    def count(self) -> int:
        """How many nodes it needs."""
        return len(self.ids)


def entry_of(allocations: Sequence[Allocation], now: int) -> WaitingEntry:
    """Return the entry of one allocation, or of all allocations of a batch that have no node yet."""
    first = allocations[0]
    return WaitingEntry(
        entry=QueueEntry(key=first.batch or first.uuid, batch=first.batch is not None, waits=first.waits(now)),
        conductor_id=first.conductor_id or 0,
        requirements=first.requirements,
        ids=tuple(each.id for each in allocations),
        lifetime=first.lifetime,
        created_at=first.created_at,
    )


class QueueSimulation:
    """Gives free nodes to waiting entries, in the order in which they are passed in.

    An entry that the quota of its project keeps from its nodes leaves them to those behind.
    """

    def __init__(self, search: Search, rooms: Mapping[str, Room], now: int) -> None:
        self._search = search
        self._rooms = rooms
        self._now = now
        self.taken: set[str] = set()
        """The uuids of nodes that entries took, or keep until there are enough."""
        self._found: dict[Requirements, Sequence[str]] = {}
        self._exhausted: set[Requirements] = set()
        """Requirements for which a search returned every free node."""

    def take(self, waiting: WaitingEntry) -> bool:
        """Let an entry take its nodes; return False when there are too few, which it then keeps from those behind."""
        return self.take_nodes(waiting) is not None

    def take_nodes(self, waiting: WaitingEntry, preferred: Sequence[str] = ()) -> Sequence[str] | None:
        """Let an entry take nodes, preferred ones first, and return them; None when there are too few."""
        required, room = waiting.requirements, self._rooms.get(waiting.requirements.owner or "")
        asked = (required.resource_class, waiting.count, self._now, waiting.lifetime.end_from(self._now))
        if room is not None and room.reason_against(*asked) is not None:
            return None
        taken = self._not_taken(preferred)[: waiting.count]
        taken += [node for node in self._available(required, waiting.count) if node not in taken]
        taken = taken[: waiting.count]
        self.taken.update(taken)
        if len(taken) < waiting.count:
            return None
        if room is not None:
            room.add(*asked)
        return taken

    def take_these(self, nodes: Sequence[str]) -> bool:
        """Let an entry take certain nodes; return False when an entry ahead has taken one of them."""
        if not self.taken.isdisjoint(nodes):
            return False
        self.taken.update(nodes)
        return True

    def _available(self, required: Requirements, count: int) -> list[str]:
        available = self._not_taken(self._found.get(required, ()))
        if len(available) < count and required not in self._exhausted:
            # Enough remain even if every taken node meets these requirements too.
            found_max = len(self.taken) + count + SPARE
            found = self._search(required, found_max)
            if len(found) < found_max:
                self._exhausted.add(required)
            available = self._not_taken(found)
        self._found[required] = available
        return available

    def _not_taken(self, nodes: Sequence[str]) -> list[str]:
        return [node for node in nodes if node not in self.taken]
