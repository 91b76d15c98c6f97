"""Could I have this lease, why not, and when could I? Nothing is booked by asking."""

from collections.abc import Mapping
from typing import NamedTuple

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.matching import Picks, Shortage
from dibs.leases.operations import calendar
from dibs.leases.operations.leases import NewLease, plan_lease, question_of


class LeaseAnswer(NamedTuple):
    """What would come of a lease that is asked for now."""

    fits: bool
    hosts: int
    """How many hosts it would have."""
    picks: tuple[Picks, ...]
    """For each reservation how many instances on which host; others may be chosen when it is made."""
    reasons: Mapping[str, int]
    """How many hosts cannot be had, by the first reason; empty when it fits."""
    text: str
    """The reasons in words; empty when it fits."""
    earliest: int | None
    """The earliest start at which it would fit: the one that was asked for, a later one, or None."""


def ask_lease(tx: Transaction, access: Access, now: int, command: NewLease) -> LeaseAnswer:
    """The same search that making the lease would do. A read."""
    plan = plan_lease(tx, access, now, command)
    found = calendar.look_up(tx, now, question_of(plan, command)) if plan.reservations else []
    if isinstance(found, Shortage):
        return LeaseAnswer(False, 0, (), found.reasons, found.text, found.earliest)
    hosts = {host_id for picks in found for host_id in picks}
    return LeaseAnswer(True, len(hosts), tuple(found), {}, "", plan.window.start)
