"""Uses: which nodes a project has, and from when to when."""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

NEVER = 2**62
"""Later than every moment: the end of a use without an end."""


class Use(NamedTuple):
    """The use of one node by a project."""

    project: str
    holder: str
    """The uuid of the consumer or of the lease."""
    provider_id: int
    resource_class: str | None
    start: int
    end: int
    leased: bool = False
    """A lease has booked the node, or a part of a host."""
    whole: bool = True
    """False for instances on a host: they take a part of it, and are no nodes."""


class Queued(NamedTuple):
    """The number of allocations of a project that wait for a node of a class."""

    project: str
    resource_class: str
    number: int


class Count(NamedTuple):
    """What a project has without some holders, and what these add."""

    used: int
    asked: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.used + self.asked


def counted(uses: Iterable[Use], now: int) -> list[Use]:
    """Return the uses that have not ended; an instance on a node that the project has leased is a part of the lease."""
    current = [use for use in uses if use.end > now]
    leased = {use.provider_id for use in current if use.leased and use.whole and use.start <= now}
    return [use for use in current if use.leased or use.provider_id not in leased]


def most_at_once(uses: Sequence[Use], holders: Collection[str]) -> Count:
    """Return the number of nodes at the moment at which it is largest, while one of the holders adds a node."""
    changes = sorted(
        (moment, change, use.holder in holders, use.provider_id)
        for use in uses
        if use.whole
        for moment, change in ((use.start, 1), (use.end, -1))
    )
    most, sides = Count(0, 0), {use.provider_id: [0, 0] for use in uses}
    used = asked = 0
    for _, at_one_moment in groupby(changes, key=lambda change: change[0]):
        for _, change, asks, provider_id in at_one_moment:
            side = sides[provider_id]
            had, added = _counts(side)
            side[asks] += change
            has, adds = _counts(side)
            used, asked = used + has - had, asked + adds - added
        if asked and used + asked > most.total:
            most = Count(used, asked)
    return most


def booked_ahead(uses: Iterable[Use], holders: Collection[str], now: int) -> Count:
    """Return the microseconds from now on of all uses that have an end, added up."""
    ahead = [0, 0]
    for use in uses:
        if use.whole and use.end < NEVER:
            ahead[use.holder in holders] += use.end - max(use.start, now)
    return Count(*ahead)


def _counts(side: Sequence[int]) -> tuple[bool, bool]:
    """Return whether others use a node, and whether the holders add it."""
    return side[0] > 0, side[0] == 0 and side[1] > 0
