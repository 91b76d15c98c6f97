"""Take the open allocations of failed conductors."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.queries import queue
from dibs.database.transaction import Transaction
from dibs.machines.queries import conductors


class TakeOverAllocations(Struct, frozen=True, kw_only=True):
    """Move every open allocation of a failed conductor to another."""

    conductor_id: int
    incarnation: str
    """The conductor that takes over."""


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
