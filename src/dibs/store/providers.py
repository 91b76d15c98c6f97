"""Providers of the ledger: their rows, inventories and generations.

Every change of a provider begins with ``lock``: an UPDATE of its row, which on every engine, Galera included, keeps all
others out until the transaction ends. Reading comes after it.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Select, Update, bindparam, delete, func, insert, select, update

from dibs.store import sets
from dibs.store.resource_classes import ensure
from dibs.store.tables import inventories, providers, resource_classes
from dibs.store.transaction import Transaction

_LOCK = update(providers).where(providers.c.uuid == bindparam("of_uuid")).values(updated_at=bindparam("now"))
_INSERT = (
    insert(providers)
    .values(uuid=bindparam("uuid"), name=bindparam("name"), created_at=bindparam("now"))
    .returning(providers.c.id)
)
_ROOT_ITSELF = update(providers).where(providers.c.id == bindparam("of_id")).values(root_id=bindparam("of_id"))
_BUMP = (
    update(providers)
    .where(providers.c.id == bindparam("of_id"))
    .values(generation=providers.c.generation + 1, updated_at=bindparam("now"))
)
_RENAME = update(providers).where(providers.c.id == bindparam("of_id")).values(name=bindparam("name"))
_DELETE = delete(providers).where(providers.c.id == bindparam("of_id"))


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


def lock_many(tx: Transaction, *, moved: Sequence[int], touched: Sequence[int], now: int) -> None:
    """Lock several providers, in the order of their row numbers; the generation of those that ``moved`` goes up."""
    for piece in sets.pieces(sorted({*moved, *touched})):
        values = {"now": now, **sets.numbered("id", piece)}
        changes = {f"change_{place}": int(row_id in moved) for place, row_id in enumerate(piece)}
        tx.change(_lock_many(len(piece)), {**values, **changes})


def ids_of(tx: Transaction, uuids: Sequence[str]) -> dict[str, int]:
    """Row numbers by uuid; those that do not exist are missing."""
    return {
        row["uuid"]: row["id"]
        for piece in sets.pieces(uuids)
        for row in tx.rows(_ids(len(piece)), sets.numbered("uuid", piece))
    }


def insert_provider(tx: Transaction, uuid: str, name: str, now: int) -> int:
    """Add a provider that is the root of its own tree; returns its id."""
    provider_id: int = tx.values(_INSERT, {"uuid": uuid, "name": name, "now": now})[0]
    tx.change(_ROOT_ITSELF, {"of_id": provider_id})
    return provider_id


def delete_provider(tx: Transaction, provider_id: int) -> None:
    """Remove a provider with all that hangs on it: inventory, traits, and the node of the same id."""
    tx.change(_DELETE, {"of_id": provider_id})


def rename(tx: Transaction, provider_id: int, name: str) -> None:
    """Give a provider another name."""
    tx.change(_RENAME, {"of_id": provider_id, "name": name})


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
    class_id = ensure(tx, class_name, now)
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
def _ids(count: int) -> Select[Any]:
    return select(providers.c.id, providers.c.uuid).where(providers.c.uuid.in_(sets.binds("uuid", count)))
