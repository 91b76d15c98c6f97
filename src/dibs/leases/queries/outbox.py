"""What has to be said to services outside."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, exists, func, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.database.transaction import Transaction
from dibs.leases.model.outbox import Errand
from dibs.leases.tables import errands

_EARLIER = errands.alias("earlier")
_ALL = select(*errands.c)
_OF_ID = errands.c.id == bindparam("of_id")
_DUE = (
    _ALL.where(
        errands.c.due_at <= bindparam("now"),
        ~exists().where(_EARLIER.c.lease == errands.c.lease, _EARLIER.c.id < errands.c.id),
    )
    .order_by(errands.c.due_at, errands.c.id)
    .limit(bindparam("count_max"))
)
_INSERT = insert(errands).values(
    {name: bindparam(f"new_{name}") for name in ("kind", "lease", "arguments", "due_at", "created_at")}
)
_TAKE = (
    update(errands)
    .where(_OF_ID, errands.c.due_at == bindparam("of_due_at"))
    .values(due_at=bindparam("new_due_at"), attempts=errands.c.attempts + 1)
)
_PUT_OFF = update(errands).where(_OF_ID).values(due_at=bindparam("new_due_at"), last_error=bindparam("new_error"))
_DELETE = delete_rows(errands).where(_OF_ID)
_OF_LEASE = errands.c.lease == bindparam("of_lease")
_LATEST = select(func.max(errands.c.due_at)).where(_OF_LEASE)
_DROP = delete_rows(errands).where(_OF_LEASE)


def add(
    tx: Transaction, kind: str, lease: str, arguments: Mapping[str, Any], now: int, due_at: int | None = None
) -> None:
    """Want something done at a moment, or as soon as the transaction has ended."""
    due = now if due_at is None else due_at
    values = {"kind": kind, "lease": lease, "arguments": json.dumps(arguments), "due_at": due, "created_at": now}
    tx.change(_INSERT, {f"new_{name}": value for name, value in values.items()})


def due(tx: Transaction, now: int, count_max: int) -> list[Errand]:
    """What is to be done now; of each lease the first only."""
    return [_errand(row) for row in tx.rows(_DUE, {"now": now, "count_max": count_max})]


def take(tx: Transaction, errand: Errand, until: int) -> bool:
    """Keep others from an errand until a moment; False when somebody else was faster."""
    return tx.change(_TAKE, {"of_id": errand.id, "of_due_at": errand.due_at, "new_due_at": until}) == 1


def put_off(tx: Transaction, errand_id: int, until: int, error: str | None) -> None:
    """Try again at a moment."""
    tx.change(_PUT_OFF, {"of_id": errand_id, "new_due_at": until, "new_error": error})


def remove(tx: Transaction, errand_id: int) -> bool:
    """Forget an errand that is done; False when it is gone already."""
    return tx.change(_DELETE, {"of_id": errand_id}) == 1


def drop(tx: Transaction, lease: str) -> int | None:
    """Forget all that was to be done for a lease; gives the latest moment at which it would have been, if any was."""
    (latest,) = tx.values(_LATEST, {"of_lease": lease})
    tx.change(_DROP, {"of_lease": lease})
    return None if latest is None else int(latest)


def _errand(row: dict[str, Any]) -> Errand:
    return Errand(**{**row, "arguments": json.loads(row["arguments"])})
