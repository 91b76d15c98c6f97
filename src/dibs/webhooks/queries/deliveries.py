"""Deliveries of events to webhooks."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Delete, Insert, bindparam, delete, func, insert, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.webhooks.model.webhooks import PENDING, Delivery
from dibs.webhooks.tables import webhook_deliveries as deliveries

_SELECT = select(*(deliveries.c[name] for name in Delivery.__struct_fields__))
_OF_WEBHOOK = deliveries.c.webhook == bindparam("of_webhook")
_PENDING = deliveries.c.state == PENDING
_DUE = (
    _SELECT.where(_OF_WEBHOOK, _PENDING, deliveries.c.due_at <= bindparam("now"))
    .order_by(deliveries.c.due_at, deliveries.c.id)
    .limit(bindparam("count_max"))
)
_FIRST_DUE = select(func.min(deliveries.c.due_at)).where(_OF_WEBHOOK, _PENDING)
_PAGE = (
    _SELECT.where(_OF_WEBHOOK, deliveries.c.id < bindparam("before_id"))
    .order_by(deliveries.c.id.desc())
    .limit(bindparam("count_max"))
)
_PAGE_OF_STATE = _PAGE.where(deliveries.c.state == bindparam("of_state"))
_SAVED = ("state", "attempts", "due_at", "last_status", "last_error", "finished_at")
_SAVE = (
    update(deliveries)
    .where(deliveries.c.id == bindparam("of_id"))
    .values({name: bindparam(f"new_{name}") for name in _SAVED})
)
_GET = _SELECT.where(deliveries.c.id == bindparam("of_id"))
_NEW = ("webhook", "position", "type")
_OLDEST = select(deliveries.c.id, deliveries.c.created_at).order_by(deliveries.c.id).limit(bindparam("count_max"))
BEYOND_EVERY_ID = 1 << 62


def add(tx: Transaction, rows: Sequence[Mapping[str, Any]], now: int) -> None:
    """Insert deliveries that are due now."""
    for piece in sets.pieces(rows):
        tx.change(_insert(len(piece)), {"now": now, **sets.columns(piece)})


def get(tx: Transaction, delivery_id: int) -> Delivery | None:
    """Return a delivery by its id."""
    row = tx.row(_GET, {"of_id": delivery_id})
    return None if row is None else Delivery(**row)


def due(tx: Transaction, webhook: str, now: int, count_max: int) -> list[Delivery]:
    """Return pending deliveries of a webhook that are due, the oldest first."""
    values = {"of_webhook": webhook, "now": now, "count_max": count_max}
    return [Delivery(**row) for row in tx.rows(_DUE, values)]


def first_due(tx: Transaction, webhook: str) -> int | None:
    """Return when the first pending delivery of a webhook is due; None when none is pending."""
    (found,) = tx.values(_FIRST_DUE, {"of_webhook": webhook})
    return None if found is None else int(found)


def page(tx: Transaction, webhook: str, state: str | None, before_id: int | None, count_max: int) -> list[Delivery]:
    """Return deliveries of a webhook, the newest first; only those in one state, if it is given."""
    values = {"of_webhook": webhook, "before_id": before_id or BEYOND_EVERY_ID, "count_max": count_max}
    rows = tx.rows(_PAGE, values) if state is None else tx.rows(_PAGE_OF_STATE, {**values, "of_state": state})
    return [Delivery(**row) for row in rows]


def save(tx: Transaction, delivery: Delivery) -> None:
    """Store the result of an attempt."""
    tx.change(_SAVE, {"of_id": delivery.id, **{f"new_{name}": getattr(delivery, name) for name in _SAVED}})


def remove(tx: Transaction, before: int, count_max: int) -> int:
    """Delete those of the first ``count_max`` deliveries that are from before a moment; return how many."""
    oldest = tx.tuples(_OLDEST, {"count_max": count_max})
    found = [row_id for row_id, created_at in oldest if created_at < before]
    return sum(tx.change(_delete(len(piece)), sets.numbered("id", piece)) for piece in sets.pieces(found))


@sets.cached
def _insert(count: int) -> Insert:
    shared: dict[str, Any] = {"state": PENDING, "due_at": bindparam("now"), "created_at": bindparam("now")}
    rows: list[dict[str, Any]] = [
        {**shared, **{name: bindparam(f"{name}_{place}") for name in _NEW}} for place in range(count)
    ]
    return insert(deliveries).values(rows)


@sets.cached
def _delete(count: int) -> Delete:
    return delete(deliveries).where(deliveries.c.id.in_(sets.binds("id", count)))
