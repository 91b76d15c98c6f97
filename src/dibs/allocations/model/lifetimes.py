"""Lifetimes: when an allocation ends, the notice before, and what a conductor does at each of these moments.

    granted                        ends_at - notice          ends_at      ends_at + grace
       |----------------------------------|---------------------|----------------|
                                        notice                              node released

The node carries the moment of its release, because leases and the queue plan with it. An allocation whose end is only
reported keeps its node, so that node has no such moment.
"""

import enum
from typing import NamedTuple

from msgspec import Struct

from dibs.allocations.model.allocations import Allocation, Lifetime
from dibs.errors import BadValue
from dibs.machines.model.conductors import after


class LifetimeRules(Struct, frozen=True, kw_only=True):
    """What the operator decides about the ends of allocations. Zero seconds are none."""

    default_seconds: float = 0
    """The lifetime of an allocation whose client asks for none; 0 lasts as long as allowed."""
    seconds_max: float = 0
    """How far in the future an end may be; 0 for any time, and for allocations without an end."""
    notice_seconds: float = 0
    grace_seconds: float = 0
    turnover_seconds: float = 0
    """How long it takes to undeploy and clean a node, as promised starts in the queue assume."""
    releases: bool = True
    """False only reports the end: the node stays with the allocation."""

    def check(self, end: int, now: int) -> None:
        """Raise BadValue for an end that has passed, or is too far in the future."""
        if end <= now:
            raise BadValue(reason="The end of an allocation must be in the future.")
        if self.seconds_max and end > after(now, self.seconds_max):
            raise BadValue(reason=f"An allocation may last at most {self.seconds_max:g} seconds from now.")


class End(NamedTuple):
    """The end of an allocation that has its node; all None without an end."""

    ends_at: int | None = None
    due_at: int | None = None
    """When a conductor has something to do about it."""
    release_at: int | None = None
    """When the node is released; None when the end is only reported."""


class Step(enum.Enum):
    """What a conductor does with an allocation that it looks at."""

    NOTHING = "it is not due"
    NOTICE = "record that it ends soon"
    WAIT = "look again when the grace period has passed"
    REPORT = "record that its end has passed; it keeps its node"
    END = "release its node, or withdraw it from the queue"


def choose_lifetime(rules: LifetimeRules, now: int, asked: Lifetime) -> Lifetime:
    """Return the lifetime of a new allocation; raise BadValue for one that the rules do not allow."""
    if asked.seconds is not None and asked.until is not None:
        raise BadValue(reason="Fields lifetime and until: give one of them.")
    if asked == Lifetime():
        seconds = rules.default_seconds or rules.seconds_max
        asked = Lifetime(seconds=int(seconds) if seconds else None)
    if asked.until is not None or asked.seconds is not None:
        rules.check(asked.end_from(now), now)
    return asked


def begin(rules: LifetimeRules, lifetime: Lifetime, now: int) -> End:
    """Return the end of an allocation that gets its node, or another lifetime, now."""
    if lifetime == Lifetime():
        return End()
    ends_at = lifetime.end_from(now)
    release_at = after(ends_at, rules.grace_seconds) if rules.releases else None
    if not rules.notice_seconds:
        return End(ends_at, release_at or ends_at, release_at)
    return End(ends_at, max(now, after(ends_at, -rules.notice_seconds)), release_at)


def next_step(allocation: Allocation, release_at: int | None, now: int) -> Step:
    """Return what a conductor does now; ``release_at`` is when the node is released, if the allocation has one."""
    if allocation.is_abandoned(now):
        return Step.END
    if allocation.ends_at is None or allocation.end_due_at is None or now < allocation.end_due_at:
        return Step.NOTHING
    if allocation.node_id is None:
        return Step.END
    if allocation.noticed_at is None and now < allocation.ends_at:
        return Step.NOTICE
    if release_at is None:
        return Step.REPORT
    return Step.END if now >= release_at else Step.WAIT
