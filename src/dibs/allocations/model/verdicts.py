"""Verdicts: whether each node is free for an allocation, will be later, or never as it is now.

Reasons that no wait ends come first: a node that is in use and lacks a trait never suits.
"""

import enum
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from dibs.allocations.model import shortages
from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation
from dibs.machines.model import states


class Prospect(enum.Enum):
    """When a client can have a node."""

    FREE = "free"
    LATER = "later"
    NEVER = "never"
    """Not as it is now: an operator must change the node."""


class NodeState(Struct, frozen=True, kw_only=True):
    """What decides about a node."""

    id: int
    uuid: str
    name: str | None
    lacks: tuple[str, ...]
    """The required traits that it does not have."""
    provision_state: str
    powered: bool
    maintenance: bool
    retired: bool
    protected: bool
    instance_uuid: str | None
    instance_until: int | None
    claimed: bool
    locked: bool


class Verdict(NamedTuple):
    """Why a node is not free, by one stable code; None for a free node."""

    node: NodeState
    prospect: Prospect
    reason: str | None = None
    until: int | None = None
    """When it is free, as far as is known."""
    blocked_by: Occupation | None = None
    """What occupies it; a caller that may not see it learns only its kind and its end."""


def judge(node: NodeState, occupations: Sequence[Occupation], promised: bool, now: int) -> Verdict:
    """Return the verdict about a node; a free one may be ``promised`` to an allocation ahead in the queue."""
    never = next(_never(node, occupations), None)
    if never is not None:
        return Verdict(node, Prospect.NEVER, never)
    held, allocated, booked = (
        next((each for each in occupations if each.kind == kind), None) for kind in (HOLD, ALLOCATION, LEASE)
    )
    until = _until(node, occupations, now)
    if held is not None:
        return Verdict(node, Prospect.LATER, shortages.HELD, until, held)
    if _is_used(node):
        return Verdict(node, Prospect.LATER, _code(shortages.IN_USE), until, allocated or booked)
    if booked is not None:
        return Verdict(node, Prospect.LATER, shortages.BOOKED, until, booked)
    for waits, reason in (
        (node.provision_state != states.AVAILABLE, shortages.NOT_AVAILABLE),
        (node.locked, shortages.LOCKED),
        (promised, shortages.PROMISED),
    ):
        if waits:
            return Verdict(node, Prospect.LATER, _code(reason))
    return Verdict(node, Prospect.FREE)


def _never(node: NodeState, occupations: Sequence[Occupation]) -> Iterator[str]:
    if node.lacks:
        yield f"lacks:{node.lacks[0]}"
    if node.retired:
        yield shortages.RETIRED
    if node.maintenance:
        yield _code(shortages.IN_MAINTENANCE)
    if occupations or _is_used(node):
        return
    # A conductor ends a transient state, and its user the state of a node in use.
    if node.provision_state not in (states.AVAILABLE, *states.PHASES, *states.PAUSED):
        yield _code(shortages.NOT_AVAILABLE)
    if node.provision_state == states.AVAILABLE and not node.powered:
        yield _code(shortages.POWER_UNKNOWN)


def _is_used(node: NodeState) -> bool:
    return node.instance_uuid is not None or node.claimed


def _until(node: NodeState, occupations: Sequence[Occupation], now: int) -> int | None:
    """Return when the last user leaves; None when that of one of them is not known."""
    others = [each for each in occupations if each.kind != ALLOCATION]
    ends = [each.end for each in others]
    # What a node is used for by a hold, or by a lease that has begun, ends with it.
    if _is_used(node) and not any(each.start <= now for each in others):
        ends.append(None if node.protected else node.instance_until)
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def _code(reason: str) -> str:
    return reason.replace(" ", "_")
