"""Webhooks, and the position up to which their deliveries were added."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, Update, bindparam, func, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.webhooks.model.events import webhook_event
from dibs.webhooks.model.webhooks import Webhook
from dibs.webhooks.tables import webhook_position, webhooks

_COLUMNS = [webhooks.c[name] for name in Webhook.__struct_fields__]
_SELECT = select(*_COLUMNS)
_OF_UUID = webhooks.c.uuid == bindparam("of_uuid")
_GET = _SELECT.where(_OF_UUID)
_ENABLED = _SELECT.where(webhooks.c.disabled_at.is_(None)).order_by(webhooks.c.id)
_PAGE = _SELECT.where(webhooks.c.id > bindparam("after_id")).order_by(webhooks.c.id).limit(bindparam("count_max"))
_COUNT = select(func.count()).select_from(webhooks)
_NEW = ("uuid", "project_id", "url", "types", "secret", "position", "created_at")
_INSERT = insert(webhooks).values({name: bindparam(f"new_{name}") for name in _NEW})
_DELETE = delete_rows(webhooks).where(_OF_UUID)
_LOCK = update(webhooks).where(_OF_UUID).values(failures=webhooks.c.failures)
_CHANGED = (
    "position", "due_at", "failures", "failing_since", "retry_at", "delivered_at", "last_error", "disabled_at",
    "disabled_reason",
)  # fmt: skip
_SAVE = update(webhooks).where(_OF_UUID).values({name: bindparam(f"new_{name}") for name in _CHANGED})
_TAKE = (
    update(webhooks)
    .where(_OF_UUID, webhooks.c.due_at == bindparam("of_due_at"), webhooks.c.disabled_at.is_(None))
    .values(due_at=bindparam("new_due_at"))
)
_DUE = (
    select(webhooks.c.uuid, webhooks.c.due_at)
    .where(webhooks.c.due_at <= bindparam("now"))
    .order_by(webhooks.c.due_at, webhooks.c.id)
    .limit(bindparam("count_max"))
)
_SECRET = select(webhooks.c.secret).where(_OF_UUID)
_SECRETS = select(webhooks.c.uuid, webhooks.c.secret).order_by(webhooks.c.id)
_RESEAL = (
    update(webhooks)
    .where(_OF_UUID, webhooks.c.secret == bindparam("old_secret"))
    .values(secret=bindparam("new_secret"))
)
_POSITION = select(webhook_position.c.position).where(webhook_position.c.id == 1)
_LOCK_POSITION = (
    update(webhook_position).where(webhook_position.c.id == 1).values(generation=webhook_position.c.generation + 1)
)
_MOVE = update(webhook_position).where(webhook_position.c.id == 1).values(position=bindparam("new_position"))


def get(tx: Transaction, uuid: str) -> Webhook | None:
    """Return a webhook by its uuid."""
    row = tx.row(_GET, {"of_uuid": uuid})
    return None if row is None else _webhook(row)


def lock(tx: Transaction, uuid: str) -> Webhook | None:
    """Keep other transactions from changing a webhook until this one ends; return it, or None when it is gone."""
    return get(tx, uuid) if tx.change(_LOCK, {"of_uuid": uuid}) else None


def enabled(tx: Transaction) -> list[Webhook]:
    """Return every webhook that is not disabled."""
    return [_webhook(row) for row in tx.rows(_ENABLED)]


def page(tx: Transaction, projects: VisibleProjects, after_id: int, count_max: int) -> list[Webhook]:
    """Return webhooks of these projects, the oldest first."""
    values: dict[str, Any] = {"after_id": after_id, "count_max": count_max}
    if projects is EVERY_PROJECT:
        return [_webhook(row) for row in tx.rows(_PAGE, values)]
    named = sets.numbered("project", sorted(projects))
    return [_webhook(row) for row in tx.rows(_page_of(len(named)), {**values, **named})]


def count(tx: Transaction, project: str | None) -> int:
    """Return how many webhooks a project has; None stands for those of no project."""
    if project is None:
        return int(tx.values(_COUNT_OF_NONE)[0])
    return int(tx.values(_COUNT_OF, {"of_project": project})[0])


def create(tx: Transaction, made: Webhook, secret: str) -> Webhook:
    """Insert a webhook with its secret, which the vault encrypts; return it."""
    values = {name: getattr(made, name) for name in _NEW if name not in ("types", "secret")}
    values |= {"types": json.dumps(made.types), "secret": tx.vault.seal(secret)}
    tx.change(_INSERT, {f"new_{name}": value for name, value in values.items()})
    tx.record(webhook_event(None, made))
    return made


def delete(tx: Transaction, webhook: Webhook) -> None:
    """Delete a webhook; its deliveries stay until they are old."""
    tx.change(_DELETE, {"of_uuid": webhook.uuid})
    tx.record(webhook_event(webhook, None))


def save(tx: Transaction, before: Webhook, after: Webhook) -> None:
    """Store what attempts, or its owner, changed of a webhook."""
    tx.change(_SAVE, {"of_uuid": after.uuid, **{f"new_{name}": getattr(after, name) for name in _CHANGED}})
    tx.record(webhook_event(before, after))


def due(tx: Transaction, now: int, count_max: int) -> list[tuple[str, int]]:
    """Return the uuids of webhooks with deliveries that are due, and since when, the longest first."""
    return [(uuid, due_at) for uuid, due_at in tx.tuples(_DUE, {"now": now, "count_max": count_max})]


def take(tx: Transaction, uuid: str, due_at: int, until: int) -> bool:
    """Keep other conductors from a webhook until a moment; return False when another conductor took it first."""
    return tx.change(_TAKE, {"of_uuid": uuid, "of_due_at": due_at, "new_due_at": until}) == 1


def mark_due(tx: Transaction, ids: Sequence[int], now: int) -> None:
    """Make webhooks due that have nothing to deliver so far, and lock all of them."""
    for piece in sets.pieces(ids):
        tx.change(_mark_due(len(piece)), {"now": now, **sets.numbered("id", piece)})


def secret_of(tx: Transaction, uuid: str) -> str:
    """Return the secret of a webhook."""
    return tx.vault.unseal(str(tx.values(_SECRET, {"of_uuid": uuid})[0]))


def encrypt_secrets(tx: Transaction) -> int:
    """Encrypt every secret with the key that encrypts now; return how many. One that changes meanwhile is left."""
    count = 0
    for uuid, stored in tx.tuples(_SECRETS):
        new = tx.vault.seal(tx.vault.unseal(stored))
        count += tx.change(_RESEAL, {"of_uuid": uuid, "old_secret": stored, "new_secret": new})
    return count


def position(tx: Transaction) -> int:
    """Return the position of the last event whose deliveries were added."""
    return int(tx.values(_POSITION)[0])


def lock_position(tx: Transaction) -> int:
    """Keep all other transactions from adding deliveries until this one ends; return the position."""
    tx.change(_LOCK_POSITION)
    return position(tx)


def move_position(tx: Transaction, new: int) -> None:
    """Store the position of the last event whose deliveries were added."""
    tx.change(_MOVE, {"new_position": new})


_COUNT_OF = _COUNT.where(webhooks.c.project_id == bindparam("of_project"))
_COUNT_OF_NONE = _COUNT.where(webhooks.c.project_id.is_(None))


@sets.cached
def _page_of(projects: int) -> Select[Any]:
    return _PAGE.where(webhooks.c.project_id.in_(sets.binds("project", projects)))


@sets.cached
def _mark_due(count: int) -> Update:
    due_at = func.coalesce(webhooks.c.due_at, bindparam("now"))
    return update(webhooks).where(webhooks.c.id.in_(sets.binds("id", count))).values(due_at=due_at)


def _webhook(row: Row) -> Webhook:
    return Webhook(**{**row, "types": tuple(json.loads(row["types"]))})
