"""Inventories. Only ``claims.add_to_used`` writes the used amount, so that it always equals the sum of the claims."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Insert,
    Select,
    Update,
    and_,
    bindparam,
    case,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete
from sqlalchemy.types import TypeEngine

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import structure
from dibs.ledger.tables import inventories, providers, resource_classes

_SIZES = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")
_KINDS: dict[str, TypeEngine[Any]] = {**dict.fromkeys(_SIZES, BigInteger()), "allocation_ratio": Double()}

_SELECT = (
    select(
        inventories.c.provider_id,
        inventories.c.class_id,
        providers.c.uuid.label("provider"),
        resource_classes.c.name.label("resource_class"),
        *(inventories.c[name] for name in (*_SIZES, "used", "created_at", "updated_at")),
    )
    .join(providers, providers.c.id == inventories.c.provider_id)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .order_by(inventories.c.provider_id, resource_classes.c.name)
)


def of_providers(tx: Transaction, provider_ids: Sequence[int]) -> dict[InventoryKey, Inventory]:
    """Return every inventory of these providers."""
    found: dict[InventoryKey, Inventory] = {}
    for piece in sets.pieces(provider_ids):
        for row in tx.rows(_select(len(piece)), sets.numbered("id", piece)):
            key = InventoryKey(row.pop("provider_id"), row.pop("class_id"))
            found[key] = Inventory(**row)
    return found


def of_classes(tx: Transaction, class_ids: Sequence[int]) -> dict[InventoryKey, Inventory]:
    """Return every inventory of these resource classes."""
    found: dict[InventoryKey, Inventory] = {}
    for ids in map(sets.padded, sets.pieces(class_ids)):
        for row in tx.rows(_of_classes(len(ids)), sets.numbered("id", ids)):
            key = InventoryKey(row.pop("provider_id"), row.pop("class_id"))
            found[key] = Inventory(**row)
    return found


def add(tx: Transaction, new: Sequence[tuple[InventoryKey, Inventory]], now: int) -> None:
    """Insert inventories of classes that the providers do not have yet."""
    structure.changed(tx, (key.provider_id for key, _ in new))
    for piece in sets.pieces(new):
        tx.change(_insert(len(piece)), {"now": now, **sets.columns([_row(*each) for each in piece])})


def change(tx: Transaction, changed: Sequence[tuple[InventoryKey, Inventory]], now: int) -> None:
    """Change the sizes of inventories."""
    structure.changed(tx, (key.provider_id for key, _ in changed))
    for piece in sets.pieces(changed):
        tx.change(_update(len(piece)), {"now": now, **sets.columns([_row(*each) for each in piece])})


def remove(tx: Transaction, keys: Sequence[InventoryKey]) -> None:
    """Delete inventories without claims."""
    structure.changed(tx, (key.provider_id for key in keys))
    for piece in sets.pieces(keys):
        rows = [{"provider": key.provider_id, "class": key.class_id} for key in piece]
        tx.change(_delete(len(piece)), sets.columns(rows))


def _row(key: InventoryKey, inventory: Inventory) -> dict[str, Any]:
    sizes = {name: getattr(inventory, name) for name in _SIZES}
    return {"provider": key.provider_id, "class": key.class_id, **sizes}


@sets.cached
def _select(count: int) -> Select[Any]:
    return _SELECT.where(inventories.c.provider_id.in_(sets.binds("id", count)))


@sets.cached
def _of_classes(count: int) -> Select[Any]:
    return _SELECT.where(inventories.c.class_id.in_(sets.binds("id", count)))


@sets.cached
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "provider_id": bindparam(f"provider_{number}"),
            "class_id": bindparam(f"class_{number}"),
            "created_at": bindparam("now"),
        }
        | {name: bindparam(f"{name}_{number}") for name in _SIZES}
        for number in range(count)
    ]
    return insert(inventories).values(rows)


@sets.cached
def _update(count: int) -> Update:
    """UPDATE inventories SET total = CASE WHEN <first key> THEN <its total> … END, … WHERE <first key> OR …"""
    keys = _keys(count)
    sizes = {name: case(*zip(keys, sets.binds(name, count, _KINDS[name]), strict=True)) for name in _SIZES}
    return update(inventories).where(or_(*keys)).values(updated_at=bindparam("now"), **sizes)


@sets.cached
def _delete(count: int) -> Delete:
    return delete_rows(inventories).where(or_(*_keys(count)))


def _keys(count: int) -> list[ColumnElement[bool]]:
    return [
        and_(
            inventories.c.provider_id == bindparam(f"provider_{number}"),
            inventories.c.class_id == bindparam(f"class_{number}"),
        )
        for number in range(count)
    ]
