"""Whose turn it is: of those who wait, the one who came first takes first, and others have what is left.

Nothing is reserved for anybody. Each who wants a node walks the line in his mind: everyone before him takes the first
free nodes that suit him, a batch that finds too few keeps those that it found, and what then remains is his to take.
All who look at the same moment see the same, so that nobody passes another and nobody waits for one who has his own.
"""

from collections.abc import Collection
from dataclasses import dataclass

from dibs.access.access import Access
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.queries import free_nodes
from dibs.allocations.queries import queue as waiting_line
from dibs.allocations.queries.queue import InLine, Kind
from dibs.database.transaction import Transaction
from dibs.machines.queries import conductors

SPARE = 32
"""How many more nodes than needed a search of the walk finds, so that the next of the same kind needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is served together: one allocation, or all of a batch."""

    key: str
    batch: bool = False
    waits: bool = False
    """True while it has a place in the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtLine:
    """Who of a conductor's own can be served now."""

    incarnation: str
    count_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Who can be served, the first in line first; and whether anybody waits at all."""

    orders: tuple[Order, ...] = ()
    anybody: bool = False


def look_at_line(tx: Transaction, access: Access, now: int, command: LookAtLine) -> Turns:
    """Walk the whole line, others' places included, and pick this conductor's own whose turn it is."""
    conductor = conductors.get_by_incarnation(tx, command.incarnation)
    if conductor is None or not waiting_line.has_any_of(tx, command.incarnation, now):
        return Turns()
    walk, orders = _Walk(tx), []
    for place in waiting_line.with_hope(tx, now):
        if walk.take(place) and place.conductor_id == conductor.id:
            orders.append(Order(key=place.key, batch=place.batch, waits=True))
            if len(orders) == command.count_max:
                break
    return Turns(orders=tuple(orders), anybody=True)


def promised(tx: Transaction, now: int, allocation: Allocation) -> Collection[str]:
    """The uuids of free nodes that those take, or keep, who have waited longer than the allocation."""
    ahead = waiting_line.ahead(tx, allocation, now)
    if not ahead:
        return ()
    walk = _Walk(tx)
    for place in ahead:
        walk.take(place)
    return walk.taken


class _Walk:
    """One walk along the line, on the state of one moment."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.taken: set[str] = set()
        self._suitable: dict[Kind, list[str]] = {}
        """Nodes that were found for each kind and that nobody has taken."""
        self._exhausted: set[Kind] = set()
        """Kinds of which everything was found that there is."""

    def take(self, place: InLine) -> bool:
        """Let one take its nodes; False when there are too few, which it then keeps for itself."""
        found = self._find(place.kind, place.count)[: place.count]
        self.taken.update(found)
        return len(found) == place.count

    def _find(self, kind: Kind, count: int) -> list[str]:
        left = [node for node in self._suitable.get(kind, ()) if node not in self.taken]
        if len(left) < count and kind not in self._exhausted:
            # With so many, enough are left even if all that are taken suit this one too.
            wanted = len(self.taken) + count + SPARE
            found = free_nodes.search(self._tx, kind.allocation(), 0.0, wanted)
            if len(found) < wanted:
                self._exhausted.add(kind)
            left = [node for node in found if node not in self.taken]
        self._suitable[kind] = left
        return left
