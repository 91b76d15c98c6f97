"""What a reservation needs of hosts, in a form that is independent of its resource type."""

from collections.abc import Mapping

from msgspec import Struct, field

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import COLUMNS, SIZES, HostDetails
from dibs.leases.model.leases import FLAVORED_INSTANCES, Reservation
from dibs.leases.model.matching.fleet import DISTINCT
from dibs.leases.model.matching.requirements import Condition, about_traits, comparisons_of, parse
from dibs.leases.model.windows import Window

Assignment = Mapping[int, int]
"""The hosts of one reservation: the number of instances by the id of the host; 1 for a whole host."""


class HostNeed(Struct, frozen=True, kw_only=True):
    """What one reservation needs."""

    whole: bool
    least: int
    most: int
    affinity: bool | None = None
    resources: Mapping[str, int] = field(default_factory=dict)
    requirements: tuple[Condition, ...] = ()
    kept: Assignment = field(default_factory=dict)
    """The hosts that it has and must keep, because its lease has begun."""
    preferred: frozenset[int] = frozenset()
    """Hosts to choose before others that fit as well."""

    @property
    def details(self) -> HostDetails:
        """The details of hosts that decide whether they fit."""
        compared = comparisons_of(self.requirements)
        keys = {requirement.key for requirement in compared if requirement.trait is None}
        return HostDetails(
            classes=frozenset(self.resources) | {SIZES[key] for key in keys & SIZES.keys()},
            traits=frozenset(each.trait for each in compared if each.trait is not None),
            properties=not keys <= COLUMNS,
        )

    @property
    def tells_hosts_apart(self) -> bool:
        """True when it compares something in which hosts that are alike differ."""
        return any(requirement.key in DISTINCT for requirement in comparisons_of(self.requirements))

    def booking(self, reservation_id: int, host_id: int, amount: int, window: Window) -> Booking:
        """Return the booking of a host for this need."""
        return Booking(
            reservation_id=reservation_id,
            host_id=host_id,
            start_at=window.start,
            end_at=window.end,
            amount=amount,
            whole=self.whole,
            resources=self.resources,
        )

    def goal_of(self, count: int) -> int:
        """Return the least sum of the contributions of all hosts with which a number of equal needs can be satisfied.

        Equal needs share no whole hosts and no room. With affinity, a host may contribute to each of them.
        """
        if self.whole or self.affinity is None:
            return self.least * count
        return 1 if self.affinity else self.least

    def contribution(self, room: int) -> int:
        """Return what a host with room for this many instances contributes to the goal."""
        if self.whole or self.affinity is False:
            return min(room, 1)
        return int(room >= self.least) if self.affinity else room


def need_of(reservation: Reservation, kept: Assignment | None = None) -> HostNeed:
    """Return what a reservation needs."""
    flavored = reservation.resource_type == FLAVORED_INSTANCES
    texts = () if flavored else (reservation.hypervisor_properties, reservation.resource_properties)
    return HostNeed(
        whole=reservation.whole_hosts,
        least=reservation.least,
        most=reservation.most,
        affinity=reservation.affinity,
        resources=reservation.resources,
        requirements=tuple(requirement for text in texts for requirement in parse(text))
        + about_traits(reservation.required_traits, reservation.forbidden_traits),
        kept=kept or {},
    )
