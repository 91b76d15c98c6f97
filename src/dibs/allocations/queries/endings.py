"""Allocations that end: their heartbeat is overdue, or their lifetime is over."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import bindparam, or_, select, update

from dibs.allocations.model.allocations import ALLOCATING, ERROR, Allocation, Lifetime
from dibs.allocations.model.events import ENDED, ENDING_SOON, allocation_event
from dibs.allocations.model.lifetimes import End
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction

_OF_ID = allocations.c.id == bindparam("of_id")
_ABANDONED = allocations.c.alive_until <= bindparam("now")
_ENDING = allocations.c.end_due_at <= bindparam("now")
_LIST_ABANDONED = (
    select(allocations.c.uuid).where(_ABANDONED).order_by(allocations.c.alive_until).limit(bindparam("count_max"))
)
_LIST_ENDING = (
    select(allocations.c.uuid).where(_ENDING).order_by(allocations.c.end_due_at).limit(bindparam("count_max"))
)
_END = (
    update(allocations)
    .where(_OF_ID, or_(_ABANDONED, _ENDING))
    .values(
        state=ERROR,
        node_id=None,
        alive_until=None,
        end_due_at=None,
        last_error=bindparam("new_error"),
        updated_at=bindparam("now"),
    )
)
_END_QUEUED = _END.where(allocations.c.state == ALLOCATING)
_POSTPONE = update(allocations).where(_OF_ID, _ENDING).values(end_due_at=bindparam("new_due_at"))
_POSTPONE_ABANDONED = update(allocations).where(_OF_ID, _ABANDONED).values(alive_until=bindparam("new_due_at"))
_NOTICE = _POSTPONE.values(noticed_at=bindparam("now"))
_REPORT = (
    update(allocations)
    .where(_OF_ID, _ENDING)
    .values(end_due_at=None, last_error=bindparam("new_error"), updated_at=bindparam("now"))
)
_RENEW = (
    update(allocations)
    .where(_OF_ID)
    .values(
        lifetime_seconds=bindparam("new_lifetime_seconds"),
        ends_at=bindparam("new_ends_at"),
        end_due_at=bindparam("new_due_at"),
        noticed_at=None,
        last_error=None,
        updated_at=bindparam("now"),
    )
)
_RENEW_QUEUED = _RENEW.where(allocations.c.state == ALLOCATING)


def due(tx: Transaction, now: int, count_max: int) -> list[str]:
    """Return the uuids of allocations that a conductor must look at, the longest overdue of each kind first."""
    values = {"now": now, "count_max": count_max}
    return list(dict.fromkeys([*tx.values(_LIST_ABANDONED, values), *tx.values(_LIST_ENDING, values)]))


def end(tx: Transaction, allocation: Allocation, reason: str, now: int) -> bool:
    """End an allocation, whose node is locked if it has one; return False when it is not due any more."""
    statement = _END_QUEUED if allocation.node_id is None else _END
    if tx.change(statement, {"of_id": allocation.id, "new_error": reason, "now": now}) != 1:
        return False
    ended = replace(allocation, state=ERROR, node_id=None, node_uuid=None, last_error=reason)
    tx.record(allocation_event(allocation, ended, ENDED))
    return True


def notice(tx: Transaction, allocation: Allocation, due_at: int, now: int) -> bool:
    """Record that notice of the end was given, and when to look again; return False when it is not due any more."""
    noticed = tx.change(_NOTICE, {"of_id": allocation.id, "new_due_at": due_at, "now": now}) == 1
    if noticed:
        tx.record(allocation_event(allocation, replace(allocation, noticed_at=now), ENDING_SOON))
    return noticed


def report(tx: Transaction, allocation: Allocation, reason: str, now: int) -> bool:
    """Record that the end has passed, and look no more; return False when it is not due any more."""
    reported = tx.change(_REPORT, {"of_id": allocation.id, "new_error": reason, "now": now}) == 1
    if reported:
        tx.record(allocation_event(allocation, replace(allocation, last_error=reason), ENDED))
    return reported


def postpone(tx: Transaction, allocation: Allocation, until: int, now: int) -> None:
    """Look at a due allocation again later."""
    for statement in (_POSTPONE, _POSTPONE_ABANDONED):
        tx.change(statement, {"of_id": allocation.id, "new_due_at": until, "now": now})


def renew(tx: Transaction, allocation: Allocation, lifetime: Lifetime, end: End, now: int) -> bool:
    """Change the end of an allocation, whose node is locked if it has one; return False when it has one by now."""
    values: dict[str, Any] = {
        "of_id": allocation.id,
        "new_lifetime_seconds": lifetime.seconds,
        "new_ends_at": end.ends_at,
        "new_due_at": end.due_at,
        "now": now,
    }
    renewed = tx.change(_RENEW_QUEUED if allocation.node_id is None else _RENEW, values) == 1
    if renewed:
        after = replace(
            allocation,
            lifetime_seconds=lifetime.seconds,
            ends_at=end.ends_at,
            noticed_at=None,
            last_error=None,
        )
        tx.record(allocation_event(allocation, after))
    return renewed
