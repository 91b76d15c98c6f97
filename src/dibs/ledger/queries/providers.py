"""Resource providers: their rows, trees and generations.

Every change of a provider begins with ``lock``: an UPDATE of its row, which excludes other transactions until this one
ends, on every engine, Galera included. All reads come after it. A change of a tree's shape also locks the tree's root.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, Update, bindparam, case, delete, func, insert, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.model.providers import Provider
from dibs.ledger.queries import structure
from dibs.ledger.queries.resource_classes import ensure
from dibs.ledger.tables import inventories, providers, resource_classes

_OTHER = providers.alias("other")


def _uuid_above(key: ColumnElement[int]) -> ColumnElement[str]:
    """Return the uuid of another provider of the tree; NULL for the root.

    Most providers are roots. A join would look up their own rows twice, and its plan would depend on statistics.
    """
    other = select(_OTHER.c.uuid).where(_OTHER.c.id == key).scalar_subquery()
    return case((providers.c.parent_id.is_not(None), other))


PARENT = _uuid_above(providers.c.parent_id).label("parent")
ROOT_ABOVE = _uuid_above(providers.c.root_id)
_SELECT = select(
    *(providers.c[name] for name in ("id", "uuid", "name", "generation", "parent_id", "root_id")),
    PARENT,
    func.coalesce(ROOT_ABOVE, providers.c.uuid).label("root"),
    providers.c.created_at,
    providers.c.updated_at,
)
"""Every attribute of Provider."""
_NAMED = _SELECT.where(providers.c.name == bindparam("name"))

_LOCK = update(providers).where(providers.c.uuid == bindparam("of_uuid")).values(updated_at=bindparam("now"))
_INSERT = (
    insert(providers)
    .values({name: bindparam(name) for name in ("uuid", "name", "parent_id", "root_id", "bucket", "created_at")})
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
    """Lock a provider until the transaction ends; return False when it does not exist."""
    return tx.change(_LOCK, {"of_uuid": uuid, "now": now}) == 1


def lock_many(tx: Transaction, provider_ids: Collection[int], now: int, *, bump: Collection[int] = frozenset()) -> int:
    """Lock providers in the order of their row ids; increment the generation of those in ``bump``.

    Return the number of those that exist.
    """
    locked = 0
    for piece in sets.pieces(sorted(set(provider_ids))):
        values = {"now": now, **sets.numbered("id", piece)}
        changes = sets.numbered("change", [int(row_id in bump) for row_id in piece])
        locked += tx.change(_lock_many(len(piece)), {**values, **changes})
    return locked


def lock_and_bump(tx: Transaction, provider_ids: Collection[int], now: int) -> None:
    """Lock providers in the order of their row ids and increment the generation of each."""
    lock_many(tx, provider_ids, now, bump=frozenset(provider_ids))


def lock_free(tx: Transaction, provider_ids: Collection[int]) -> set[int]:
    """Lock those of some providers that no other transaction has locked, and return their row ids.

    The lock does not reach across the nodes of a Galera cluster: the transaction must also ``lock`` what it acts on.
    """
    return {
        row_id
        for ids in map(sets.padded, sets.pieces(sorted(set(provider_ids))))
        for row_id in tx.values(_lock_free(len(ids)), sets.numbered("id", ids))
    }


def get(tx: Transaction, uuid: str) -> Provider | None:
    """Return a provider; None when it does not exist."""
    return find(tx, [uuid]).get(uuid)


def get_named(tx: Transaction, name: str) -> Provider | None:
    """Return the provider of this name; None when it does not exist."""
    row = tx.row(_NAMED, {"name": name})
    return None if row is None else Provider(**row)


def find(tx: Transaction, uuids: Sequence[str]) -> dict[str, Provider]:
    """Return providers by uuid; providers that do not exist are missing."""
    return {
        row["uuid"]: Provider(**row)
        for piece in sets.pieces(uuids)
        for row in tx.rows(_find(len(piece)), sets.numbered("uuid", piece))
    }


def ids_of(tx: Transaction, uuids: Sequence[str]) -> dict[str, int]:
    """Return row ids by uuid; providers that do not exist are missing."""
    return {
        row["uuid"]: row["id"]
        for piece in sets.pieces(uuids)
        for row in tx.rows(_ids(len(piece)), sets.numbered("uuid", piece))
    }


def insert_provider(tx: Transaction, uuid: str, name: str, now: int, parent: Provider | None = None) -> int:
    """Insert a provider below a parent, or as the root of its own tree, and return its row id."""
    above, root = (parent.id, parent.root_id) if parent else (None, None)
    bucket = structure.bucket_of(uuid)
    values = {"uuid": uuid, "name": name, "parent_id": above, "root_id": root, "bucket": bucket, "created_at": now}
    provider_id: int = tx.values(_INSERT, values)[0]
    if parent is None:
        tx.change(_ROOT_ITSELF, {"of_id": provider_id})
        structure.created(tx, provider_id, bucket)
    else:
        structure.changed(tx, [provider_id])
    return provider_id


def delete_provider(tx: Transaction, provider_id: int) -> None:
    """Delete a provider with its inventories, traits and aggregates, and the node of the same id."""
    structure.leaving(tx, provider_id)
    tx.change(_DELETE, {"of_id": provider_id})


def rename(tx: Transaction, provider_id: int, name: str) -> None:
    """Rename a locked provider."""
    tx.change(_RENAME, {"of_id": provider_id, "name": name})


def has_children(tx: Transaction, provider_id: int) -> bool:
    """Return True when the provider has children."""
    return bool(tx.values(_CHILD, {"of_id": provider_id}))


def tree(tx: Transaction, root_id: int) -> list[tuple[int, int | None]]:
    """Return every provider of a tree with its parent, by row ids."""
    return [(row["id"], row["parent_id"]) for row in tx.rows(_IN_TREE, {"of_id": root_id})]


def move(tx: Transaction, provider_id: int, parent: Provider | None, below: Collection[int]) -> None:
    """Move a provider below another parent, or make it a root; ``below`` is the subtree that moves, itself included."""
    root_id = parent.root_id if parent else provider_id
    structure.leaving(tx, provider_id)
    tx.change(_MOVE, {"of_id": provider_id, "above": parent.id if parent else None})
    for piece in sets.pieces(sorted(below)):
        tx.change(_set_root(len(piece)), {"root_id": root_id, **sets.numbered("id", piece)})
    structure.changed(tx, [root_id])


def bump_generation(tx: Transaction, provider_id: int, now: int) -> None:
    """Increment the generation of a locked provider: its inventories, traits or aggregates changed."""
    tx.change(_BUMP, {"of_id": provider_id, "now": now})


def inventory(tx: Transaction, provider_id: int) -> list[dict[str, object]]:
    """Return the inventories of a provider as rows."""
    return tx.rows(_INVENTORY, {"of_id": provider_id})


def used(tx: Transaction, provider_id: int) -> int:
    """Return the claimed amount of a provider, summed over all classes."""
    return int(tx.values(_COUNT_USED, {"of_id": provider_id})[0])


def offer_one_unit(tx: Transaction, provider_id: int, class_name: str, *, reserved: int, now: int) -> None:
    """Insert the inventory of a node: one unit of its resource class."""
    class_id = ensure(tx, [class_name], now)[class_name]
    tx.change(_INSERT_UNIT, {"provider_id": provider_id, "class_id": class_id, "reserved": reserved, "now": now})
    structure.changed(tx, [provider_id])


def reserve_unit(tx: Transaction, provider_id: int, reserved: int) -> None:
    """Reserve a node's unit, so that it cannot be claimed (1), or offer it again (0)."""
    tx.change(_RESERVE_UNIT, {"of_id": provider_id, "reserved": reserved})


def withdraw_unit(tx: Transaction, provider_id: int) -> bool:
    """Delete a node's unit; return False when it is claimed."""
    structure.changed(tx, [provider_id])
    return tx.change(_DELETE_UNIT, {"of_id": provider_id}) == 1


@sets.cached
def _lock_many(count: int) -> Update:
    change = sets.by_key(providers.c.id, "id", "change", count, BigInteger())
    return (
        update(providers)
        .where(sets.LockedInOrder(providers.c.id, sets.binds("id", count)))
        .values(generation=providers.c.generation + change, updated_at=bindparam("now"))
    )


@sets.cached
def _lock_free(count: int) -> Select[Any]:
    """SELECT id FROM providers WHERE id IN (…) ORDER BY id FOR UPDATE SKIP LOCKED"""
    chosen = select(providers.c.id).where(providers.c.id.in_(sets.binds("id", count))).order_by(providers.c.id)
    return chosen.with_for_update(skip_locked=True, key_share=True)


@sets.cached
def _set_root(count: int) -> Update:
    return update(providers).where(providers.c.id.in_(sets.binds("id", count))).values(root_id=bindparam("root_id"))


@sets.cached
def _find(count: int) -> Select[Any]:
    return _SELECT.where(providers.c.uuid.in_(sets.binds("uuid", count)))


@sets.cached
def _ids(count: int) -> Select[Any]:
    return select(providers.c.id, providers.c.uuid).where(providers.c.uuid.in_(sets.binds("uuid", count)))
