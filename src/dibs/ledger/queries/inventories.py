"""Inventories: what providers have of each class. What is ``used`` of them is written with the claims only."""

from collections.abc import Sequence
from functools import cache
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
_OF_CLASS = _SELECT.where(inventories.c.class_id == bindparam("of_class"))


def of_providers(tx: Transaction, provider_ids: Sequence[int]) -> dict[InventoryKey, Inventory]:
    """Every inventory of these providers."""
    found: dict[InventoryKey, Inventory] = {}
    for piece in sets.pieces(provider_ids):
        for row in tx.rows(_select(len(piece)), sets.numbered("id", piece)):
            place = InventoryKey(row.pop("provider_id"), row.pop("class_id"))
            found[place] = Inventory(**row)
    return found


def of_class(tx: Transaction, class_id: int) -> dict[InventoryKey, Inventory]:
    """Every inventory of a class."""
    return {
        InventoryKey(row.pop("provider_id"), row.pop("class_id")): Inventory(**row)
        for row in tx.rows(_OF_CLASS, {"of_class": class_id})
    }


def add(tx: Transaction, new: Sequence[tuple[InventoryKey, Inventory]], now: int) -> None:
    """Add inventories where there were none."""
    for piece in sets.pieces(new):
        tx.change(_insert(len(piece)), {"now": now, **sets.columns([_row(*each) for each in piece])})


def change(tx: Transaction, changed: Sequence[tuple[InventoryKey, Inventory]], now: int) -> None:
    """Give inventories other sizes."""
    for piece in sets.pieces(changed):
        tx.change(_update(len(piece)), {"now": now, **sets.columns([_row(*each) for each in piece])})


def remove(tx: Transaction, places: Sequence[InventoryKey]) -> None:
    """Remove inventories of which nothing is used."""
    for piece in sets.pieces(places):
        rows = [{"provider": place.provider_id, "class": place.class_id} for place in piece]
        tx.change(_delete(len(piece)), sets.columns(rows))


def _row(place: InventoryKey, inventory: Inventory) -> dict[str, Any]:
    sizes = {name: getattr(inventory, name) for name in _SIZES}
    return {"provider": place.provider_id, "class": place.class_id, **sizes}


@cache
def _select(count: int) -> Select[Any]:
    return _SELECT.where(inventories.c.provider_id.in_(sets.binds("id", count)))


@cache
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "provider_id": bindparam(f"provider_{place}"),
            "class_id": bindparam(f"class_{place}"),
            "created_at": bindparam("now"),
        }
        | {name: bindparam(f"{name}_{place}") for name in _SIZES}
        for place in range(count)
    ]
    return insert(inventories).values(rows)


@cache
def _update(count: int) -> Update:
    """UPDATE inventories SET total = CASE WHEN <first place> THEN <its total> … END, … WHERE <first place> OR …"""
    places = _places(count)
    sizes = {name: case(*zip(places, sets.binds(name, count, _KINDS[name]), strict=True)) for name in _SIZES}
    return update(inventories).where(or_(*places)).values(updated_at=bindparam("now"), **sizes)


@cache
def _delete(count: int) -> Delete:
    return delete_rows(inventories).where(or_(*_places(count)))


def _places(count: int) -> list[ColumnElement[bool]]:
    return [
        and_(
            inventories.c.provider_id == bindparam(f"provider_{place}"),
            inventories.c.class_id == bindparam(f"class_{place}"),
        )
        for place in range(count)
    ]
