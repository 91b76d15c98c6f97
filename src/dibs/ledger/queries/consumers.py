"""Consumers: the owners of claims, with their project, user and type, and the generation that guards their claims."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Insert, Select, String, Update, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.ledger.tables import consumers

_DESCRIPTION = ("project_id", "user_id", "consumer_type")


class Consumer(Struct, frozen=True, kw_only=True):
    """One consumer."""

    id: int
    uuid: str
    generation: int
    project_id: str | None
    user_id: str | None
    consumer_type: str | None


def lock(tx: Transaction, uuids: Sequence[str], now: int) -> dict[str, Consumer]:
    """Lock those consumers that exist and return them; their claims cannot change until the transaction ends."""
    found: dict[str, Consumer] = {}
    for piece in sets.pieces(sorted(uuids)):
        if tx.change(_lock(len(piece)), {"now": now, **sets.numbered("uuid", piece)}):
            rows = tx.rows(_select(len(piece)), sets.numbered("uuid", piece))
            found |= {row["uuid"]: Consumer(**row) for row in rows}
    return found


def create(tx: Transaction, new: Mapping[str, Mapping[str, Any]], now: int) -> dict[str, int]:
    """Insert consumers at generation 1, described by uuid, and return their row ids."""
    created: dict[str, int] = {}
    for piece in sets.pieces(sorted(new)):
        values = sets.columns([{"uuid": uuid, **new[uuid]} for uuid in piece])
        try:
            created |= {row["uuid"]: row["id"] for row in tx.rows(_insert(len(piece)), {"now": now, **values})}
        except Duplicate as error:
            # A concurrent transaction created the same consumer; the next attempt finds it.
            raise Again from error
    return created


def change(tx: Transaction, changed: Mapping[int, Mapping[str, Any]]) -> None:
    """Change the description of consumers, by row id, and increment their generation."""
    for piece in sets.pieces(sorted(changed)):
        values = sets.columns([{"id": row_id, **changed[row_id]} for row_id in piece])
        tx.change(_update(len(piece)), values)


def bump_generation(tx: Transaction, row_ids: Sequence[int]) -> None:
    """Increment the generation of consumers, so that a client that read the old claims has to read again."""
    for piece in sets.pieces(row_ids):
        tx.change(_bump_generation(len(piece)), sets.numbered("id", piece))


def delete(tx: Transaction, row_ids: Sequence[int]) -> None:
    """Delete consumers without claims."""
    for piece in sets.pieces(row_ids):
        tx.change(_delete(len(piece)), sets.numbered("id", piece))


@sets.cached
def _lock(count: int) -> Update:
    return update(consumers).where(consumers.c.uuid.in_(sets.binds("uuid", count))).values(updated_at=bindparam("now"))


@sets.cached
def _select(count: int) -> Select[Any]:
    shown = (consumers.c[name] for name in ("id", "uuid", "generation", *_DESCRIPTION))
    return select(*shown).where(consumers.c.uuid.in_(sets.binds("uuid", count)))


@sets.cached
def _insert(count: int) -> Insert:
    rows = [
        {"generation": 1, "created_at": bindparam("now")}
        | {name: bindparam(f"{name}_{number}") for name in ("uuid", *_DESCRIPTION)}
        for number in range(count)
    ]
    return insert(consumers).values(rows).returning(consumers.c.id, consumers.c.uuid)


@sets.cached
def _update(count: int) -> Update:
    described = {name: sets.by_key(consumers.c.id, "id", name, count, String()) for name in _DESCRIPTION}
    return (
        update(consumers)
        .where(consumers.c.id.in_(sets.binds("id", count)))
        .values(generation=consumers.c.generation + 1, **described)
    )


@sets.cached
def _bump_generation(count: int) -> Update:
    bumped = update(consumers).where(consumers.c.id.in_(sets.binds("id", count)))
    return bumped.values(generation=consumers.c.generation + 1)


@sets.cached
def _delete(count: int) -> Delete:
    return delete_rows(consumers).where(consumers.c.id.in_(sets.binds("id", count)))
