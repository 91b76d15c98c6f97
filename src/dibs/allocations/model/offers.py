"""Offers for an allocation that does not get its nodes now.

Allocations that are already in the queue come first. How many there are is known, and not which nodes each of them
takes: an offer leaves one node to each of them, so that the offer holds in any case.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from dibs.leases.model.matching import offers
from dibs.leases.model.matching.offers import Offer, OfferKind, Rooms
from dibs.leases.model.matching.shortages import format_minute
from dibs.machines.model.conductors import after

_SECOND = 1_000_000
_MINUTE_SECONDS = 60


class Supply(Struct, frozen=True, kw_only=True):
    """The nodes that are free, or will be."""

    free: int
    """Nodes that meet all requirements and are promised to no allocation in the queue."""
    rooms: Rooms = field(default_factory=dict)
    """Free nodes of the class by the traits that they lack."""
    classes: Mapping[str, int] = field(default_factory=dict)
    """Free nodes of other classes that meet the other requirements."""
    queued: Mapping[str | None, int] = field(default_factory=dict)
    """Allocations without a node, by their class."""
    free_at: int | None = None
    """When enough nodes are free, also for the allocations in the queue; None when that is unknown."""


def make_offers(supply: Supply, resource_class: str, count: int, now: int, turnover_seconds: float) -> list[Offer]:
    """Return what a client could ask for instead; a node is clean ``turnover_seconds`` after its user left."""
    classes = {name: free - supply.queued.get(name, 0) for name, free in supply.classes.items()}
    return [
        *(_later(supply.free_at, now, turnover_seconds) if supply.free_at is not None else ()),
        *offers.fewer(supply.free, count),
        *offers.without(supply.rooms, count + supply.queued.get(resource_class, 0)),
        *offers.other_classes(classes, count),
    ]


def _later(free_at: int, now: int, turnover_seconds: float) -> list[Offer]:
    # A minute more, because a client needs time to send the request, and a conductor to see that a node is free.
    minutes = (after(free_at, turnover_seconds) - now) // _SECOND // _MINUTE_SECONDS + 2
    seconds = minutes * _MINUTE_SECONDS
    text = f"wait in the queue until {format_minute(after(now, seconds))}"
    return [Offer(kind=OfferKind.LATER, text=text, wait_seconds=seconds)]
