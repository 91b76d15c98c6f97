"""Inventories: what providers have of each class."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, select

from dibs.domain.claims import Place
from dibs.domain.inventory import Inventory
from dibs.store import sets
from dibs.store.tables import inventories, providers, resource_classes
from dibs.store.transaction import Transaction

_AMOUNTS = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio", "used")


def at(tx: Transaction, provider_ids: Sequence[int]) -> dict[Place, Inventory]:
    """Every inventory of these providers."""
    found: dict[Place, Inventory] = {}
    for piece in sets.pieces(provider_ids):
        for row in tx.rows(_select(len(piece)), sets.numbered("id", piece)):
            place = Place(row.pop("provider_id"), row.pop("class_id"))
            found[place] = Inventory(**row)
    return found


@cache
def _select(count: int) -> Select[Any]:
    return (
        select(
            inventories.c.provider_id,
            inventories.c.class_id,
            providers.c.uuid.label("provider"),
            resource_classes.c.name.label("resource_class"),
            *(inventories.c[name] for name in (*_AMOUNTS, "created_at", "updated_at")),
        )
        .join(providers, providers.c.id == inventories.c.provider_id)
        .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
        .where(inventories.c.provider_id.in_(sets.binds("id", count)))
    )
