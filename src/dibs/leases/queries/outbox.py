"""Calls to external services that have not succeeded yet."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, exists, func, insert, or_, select, update
from sqlalchemy import delete as delete_rows

from dibs.database.transaction import Transaction
from dibs.leases.model.outbox import LONGEST_PAUSE_SECONDS, OutboxCall
from dibs.leases.tables import outbox_calls

_EARLIER = outbox_calls.alias("earlier")
_ALL = select(*outbox_calls.c)
_OF_ID = outbox_calls.c.id == bindparam("of_id")
_DUE = (
    _ALL.where(
        or_(outbox_calls.c.due_at <= bindparam("now"), outbox_calls.c.due_at > bindparam("latest")),
        ~exists().where(_EARLIER.c.lease == outbox_calls.c.lease, _EARLIER.c.id < outbox_calls.c.id),
    )
    .order_by(outbox_calls.c.due_at, outbox_calls.c.id)
    .limit(bindparam("count_max"))
)
_INSERT = insert(outbox_calls).values(
    {name: bindparam(f"new_{name}") for name in ("kind", "lease", "arguments", "due_at", "created_at")}
)
_TAKE = (
    update(outbox_calls)
    .where(_OF_ID, outbox_calls.c.due_at == bindparam("of_due_at"))
    .values(due_at=bindparam("new_due_at"), attempts=outbox_calls.c.attempts + 1)
)
_POSTPONE = update(outbox_calls).where(_OF_ID).values(due_at=bindparam("new_due_at"), last_error=bindparam("new_error"))
_DELETE = delete_rows(outbox_calls).where(_OF_ID)
_OF_LEASE = outbox_calls.c.lease == bindparam("of_lease")
_LATEST = select(func.max(outbox_calls.c.due_at)).where(_OF_LEASE)
_DROP = delete_rows(outbox_calls).where(_OF_LEASE)


def add(
    tx: Transaction, kind: str, lease: str, arguments: Mapping[str, Any], now: int, due_at: int | None = None
) -> None:
    """Add a call that is due at a moment, or as soon as the transaction has committed."""
    due = now if due_at is None else due_at
    values = {"kind": kind, "lease": lease, "arguments": json.dumps(arguments), "due_at": due, "created_at": now}
    tx.change(_INSERT, {f"new_{name}": value for name, value in values.items()})


def due(tx: Transaction, now: int, count_max: int) -> list[OutboxCall]:
    """Return calls that are due; of each lease only the first.

    A call that is due later than after the longest pause is due now: the clock was set back.
    """
    latest = now + LONGEST_PAUSE_SECONDS * 1_000_000
    return [_call(row) for row in tx.rows(_DUE, {"now": now, "latest": latest, "count_max": count_max})]


def take(tx: Transaction, call: OutboxCall, until: int) -> bool:
    """Keep other conductors from a call until a moment; return False when another conductor took it first."""
    return tx.change(_TAKE, {"of_id": call.id, "of_due_at": call.due_at, "new_due_at": until}) == 1


def postpone(tx: Transaction, call_id: int, until: int, error: str | None) -> None:
    """Make a call due at a later moment."""
    tx.change(_POSTPONE, {"of_id": call_id, "new_due_at": until, "new_error": error})


def remove(tx: Transaction, call_id: int) -> bool:
    """Remove a call that is done; return False when it is gone already."""
    return tx.change(_DELETE, {"of_id": call_id}) == 1


def drop(tx: Transaction, lease: str) -> int | None:
    """Remove all calls of a lease; return when the last of them was due, None when there were none."""
    (latest,) = tx.values(_LATEST, {"of_lease": lease})
    tx.change(_DROP, {"of_lease": lease})
    return None if latest is None else int(latest)


def _call(row: dict[str, Any]) -> OutboxCall:
    return OutboxCall(**{**row, "arguments": json.loads(row["arguments"])})
