"""Offers: what is possible instead of a request that does not fit. Each is the request with one change.

Allocations and leases make their offers here, from what their searches count: how much room there is on nodes or hosts
that fail the same requirements.
"""

import enum
from collections.abc import Mapping

from msgspec import Struct

ALTERNATIVES_MAX = 3
"""The number of offers that change the same thing: requirements to drop, or other classes."""
GROUPS_MAX = 100
"""The number of groups of equal hosts that are combined; to leave out the others makes offers fewer, and none wrong."""

Rooms = Mapping[frozenset[str], int]
"""The room by the requirements that nodes or hosts fail; those that fail none are under the empty set."""


class OfferKind(enum.Enum):
    """What an offer changes."""

    LATER = "later"
    """The earliest start; an allocation waits in the queue until then."""
    SHORTER = "shorter"
    """The longest duration from the requested start."""
    FEWER = "fewer"
    """Fewer nodes, hosts or instances."""
    WITHOUT = "without"
    """The same without some traits or properties."""
    OTHER_CLASS = "class"
    """The same of another resource class."""


class Offer(Struct, frozen=True, kw_only=True):
    """One change with which a request would succeed now."""

    kind: OfferKind
    text: str
    """The change as an imperative, such as "ask for 2 instead of 3"."""
    start: int | None = None
    """LATER: the new start of a lease."""
    end: int | None = None
    """LATER and SHORTER: the new end of a lease."""
    wait_seconds: int | None = None
    """LATER: how long an allocation waits in the queue."""
    count: int | None = None
    """FEWER: the new number."""
    without: tuple[str, ...] = ()
    """WITHOUT: what to drop; traits of an allocation, terms of the requirements of a lease as JSON."""
    resource_class: str | None = None
    """OTHER_CLASS: the new class."""
    reservation: int = 0
    """The index of the reservation of a lease that FEWER, WITHOUT and OTHER_CLASS change."""


def fewer(room: int, wanted: int, reservation: int = 0) -> list[Offer]:
    """Return the offer of what there is room for, if that is less than what was asked for."""
    if not 0 < room < wanted:
        return []
    text = f"ask for {room} instead of {wanted}"
    return [Offer(kind=OfferKind.FEWER, text=text, count=room, reservation=reservation)]


def without(rooms: Rooms, goal: int, words: Mapping[str, str] | None = None, reservation: int = 0) -> list[Offer]:
    """Return offers that drop the fewest requirements with which the room reaches a goal.

    ``words`` has another text for single requirements.
    """
    # Groups that fail little are the ones that a small change makes usable.
    groups = sorted(rooms.items(), key=lambda group: (len(group[0]), -group[1], sorted(group[0])))[:GROUPS_MAX]
    possible = {frozenset({each}) for failed, _ in groups for each in failed} | {failed for failed, _ in groups}
    enough = [drop for drop in possible if drop and sum(room for failed, room in groups if failed <= drop) >= goal]
    smallest = min(map(len, enough), default=0)
    drops = sorted(sorted(drop) for drop in enough if len(drop) == smallest)
    return [
        Offer(
            kind=OfferKind.WITHOUT,
            text=f"do without {' and '.join((words or {}).get(each, each) for each in drop)}",
            without=tuple(drop),
            reservation=reservation,
        )
        for drop in drops[:ALTERNATIVES_MAX]
    ]


def other_classes(rooms: Mapping[str, int], goal: int, reservation: int = 0) -> list[Offer]:
    """Return offers of the classes whose room reaches a goal, those with the most room first."""
    enough = sorted((-room, name) for name, room in rooms.items() if room >= goal)
    return [
        Offer(kind=OfferKind.OTHER_CLASS, text=f"ask for class {name}", resource_class=name, reservation=reservation)
        for _, name in enough[:ALTERNATIVES_MAX]
    ]
