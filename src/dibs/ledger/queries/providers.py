"""Providers of the ledger: their rows, their trees and their generations.

Every change of a provider begins with ``lock``: an UPDATE of its row, which on every engine, Galera included, keeps all
others out until the transaction ends. Reading comes after it. Who changes the shape of a tree locks its root too.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Select, Update, bindparam, delete, func, insert, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.model.providers import Provider
from dibs.ledger.queries.resource_classes import ensure
from dibs.ledger.tables import inventories, providers, resource_classes

_PARENT, _ROOT = providers.alias("parent"), providers.alias("root")
SELECT = (
    select(
        *(providers.c[name] for name in ("id", "uuid", "name", "generation", "parent_id", "root_id")),
        _PARENT.c.uuid.label("parent"),
        _ROOT.c.uuid.label("root"),
        providers.c.created_at,
        providers.c.updated_at,
    )
    .select_from(providers)
    .join(_ROOT, _ROOT.c.id == providers.c.root_id)
    .outerjoin(_PARENT, _PARENT.c.id == providers.c.parent_id)
)
"""Every attribute of Provider."""

_LOCK = update(providers).where(providers.c.uuid == bindparam("of_uuid")).values(updated_at=bindparam("now"))
_INSERT = (
    insert(providers)
    .values({name: bindparam(name) for name in ("uuid", "name", "parent_id", "root_id", "created_at")})
    .returning(providers.c.id)
)
_ROOT_ITSELF = update(providers).where(providers.c.id == bindparam("of_id")).values(root_id=bindparam("of_id"))
_BUMP = (
    update(providers)
    .where(providers.c.id == bindparam("of_id"))
    .values(generation=providers.c.generation + 1, updated_at=bindparam("now"))
)
_RENAME = update(providers).where(providers.c.id == bindparam("of_id")).values(name=bindparam("name"))
_MOVE = update(providers).where(providers.c.id == bindparam("of_id")).values(parent_id=bindparam("above"))
_DELETE = delete(providers).where(providers.c.id == bindparam("of_id"))
_CHILD = select(providers.c.id).where(providers.c.parent_id == bindparam("of_id")).limit(1)
_IN_TREE = select(providers.c.id, providers.c.parent_id).where(providers.c.root_id == bindparam("of_id"))

_INSERT_UNIT = insert(inventories).values(
    provider_id=bindparam("provider_id"),
    class_id=bindparam("class_id"),
    total=1,
    max_unit=1,
    reserved=bindparam("reserved"),
    created_at=bindparam("now"),
)
_RESERVE_UNIT = (
    update(inventories).where(inventories.c.provider_id == bindparam("of_id")).values(reserved=bindparam("reserved"))
)
_DELETE_UNIT = delete(inventories).where(inventories.c.provider_id == bindparam("of_id"), inventories.c.used == 0)
_INVENTORY = (
    select(resource_classes.c.name.label("resource_class"), *(c for c in inventories.c if c.name != "class_id"))
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .where(inventories.c.provider_id == bindparam("of_id"))
)
_COUNT_USED = select(func.coalesce(func.sum(inventories.c.used), 0)).where(
    inventories.c.provider_id == bindparam("of_id")
)


def lock(tx: Transaction, uuid: str, now: int) -> bool:
    """Keep all others from changing this provider until the transaction ends; False when there is no such provider."""
    return tx.change(_LOCK, {"of_uuid": uuid, "now": now}) == 1


def lock_many(tx: Transaction, provider_ids: Collection[int], now: int, *, bump: Collection[int] = frozenset()) -> None:
    """Lock providers in the order of their row ids; increment the generation of those in ``bump``."""
    for piece in sets.pieces(sorted(set(provider_ids))):
        values = {"now": now, **sets.numbered("id", piece)}
        changes = sets.numbered("change", [int(row_id in bump) for row_id in piece])
        tx.change(_lock_many(len(piece)), {**values, **changes})


def lock_and_bump(tx: Transaction, provider_ids: Collection[int], now: int) -> None:
    """Lock providers in the order of their row ids and increment the generation of each."""
    lock_many(tx, provider_ids, now, bump=frozenset(provider_ids))


def get(tx: Transaction, uuid: str) -> Provider | None:
    """One provider."""
    return find(tx, [uuid]).get(uuid)


def find(tx: Transaction, uuids: Sequence[str]) -> dict[str, Provider]:
    """Providers by uuid; those that do not exist are missing."""
    return {
        row["uuid"]: Provider(**row)
        for piece in sets.pieces(uuids)
        for row in tx.rows(_find(len(piece)), sets.numbered("uuid", piece))
    }


def ids_of(tx: Transaction, uuids: Sequence[str]) -> dict[str, int]:
    """Row numbers by uuid; those that do not exist are missing."""
    return {
        row["uuid"]: row["id"]
        for piece in sets.pieces(uuids)
        for row in tx.rows(_ids(len(piece)), sets.numbered("uuid", piece))
    }


def insert_provider(tx: Transaction, uuid: str, name: str, now: int, parent: Provider | None = None) -> int:
    """Add a provider below another, or as the root of its own tree; returns its id."""
    above, root = (parent.id, parent.root_id) if parent else (None, None)
    values = {"uuid": uuid, "name": name, "parent_id": above, "root_id": root, "created_at": now}
    provider_id: int = tx.values(_INSERT, values)[0]
    if parent is None:
        tx.change(_ROOT_ITSELF, {"of_id": provider_id})
    return provider_id


def delete_provider(tx: Transaction, provider_id: int) -> None:
    """Remove a provider with all that hangs on it: inventory, traits, aggregates, and the node of the same id."""
    tx.change(_DELETE, {"of_id": provider_id})


def rename(tx: Transaction, provider_id: int, name: str) -> None:
    """Rename a locked provider."""
    tx.change(_RENAME, {"of_id": provider_id, "name": name})


def has_children(tx: Transaction, provider_id: int) -> bool:
    """True when there are providers below it."""
    return bool(tx.values(_CHILD, {"of_id": provider_id}))


def tree(tx: Transaction, root_id: int) -> list[tuple[int, int | None]]:
    """Every provider of a tree with the one above it, by row numbers."""
    return [(row["id"], row["parent_id"]) for row in tx.rows(_IN_TREE, {"of_id": root_id})]


def move(tx: Transaction, provider_id: int, parent: Provider | None, below: Collection[int]) -> None:
    """Put a provider under another, or at the top, with all that is ``below`` it, itself included."""
    tx.change(_MOVE, {"of_id": provider_id, "above": parent.id if parent else None})
    for piece in sets.pieces(sorted(below)):
        root_id = parent.root_id if parent else provider_id
        tx.change(_set_root(len(piece)), {"root_id": root_id, **sets.numbered("id", piece)})


def bump_generation(tx: Transaction, provider_id: int, now: int) -> None:
    """Note that what the provider offers has changed."""
    tx.change(_BUMP, {"of_id": provider_id, "now": now})


def inventory(tx: Transaction, provider_id: int) -> list[dict[str, object]]:
    """What the provider has of each class."""
    return tx.rows(_INVENTORY, {"of_id": provider_id})


def used(tx: Transaction, provider_id: int) -> int:
    """How much of the provider is claimed, over all classes."""
    return int(tx.values(_COUNT_USED, {"of_id": provider_id})[0])


def offer_one_unit(tx: Transaction, provider_id: int, class_name: str, *, reserved: int, now: int) -> None:
    """Add the inventory of a machine: one unit of its class."""
    class_id = ensure(tx, [class_name], now)[class_name]
    tx.change(_INSERT_UNIT, {"provider_id": provider_id, "class_id": class_id, "reserved": reserved, "now": now})


def reserve_unit(tx: Transaction, provider_id: int, reserved: int) -> None:
    """Keep the machine's unit from everybody (1) or offer it again (0)."""
    tx.change(_RESERVE_UNIT, {"of_id": provider_id, "reserved": reserved})


def withdraw_unit(tx: Transaction, provider_id: int) -> bool:
    """Remove the machine's unit; False when somebody has it."""
    return tx.change(_DELETE_UNIT, {"of_id": provider_id}) == 1


@cache
def _lock_many(count: int) -> Update:
    change = sets.by_key(providers.c.id, "id", "change", count, BigInteger())
    return (
        update(providers)
        .where(providers.c.id.in_(sets.binds("id", count)))
        .values(generation=providers.c.generation + change, updated_at=bindparam("now"))
    )


@cache
def _set_root(count: int) -> Update:
    return update(providers).where(providers.c.id.in_(sets.binds("id", count))).values(root_id=bindparam("root_id"))


@cache
def _find(count: int) -> Select[Any]:
    return SELECT.where(providers.c.uuid.in_(sets.binds("uuid", count)))


@cache
def _ids(count: int) -> Select[Any]:
    return select(providers.c.id, providers.c.uuid).where(providers.c.uuid.in_(sets.binds("uuid", count)))
