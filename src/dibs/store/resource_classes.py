"""Resource classes. Standard ones are known from the os-resource-classes library; their rows are made at first use."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import os_resource_classes
from sqlalchemy import Select, bindparam, insert, select

from dibs.store import sets
from dibs.store.tables import resource_classes
from dibs.store.transaction import Again, Duplicate, Transaction

STANDARD = frozenset(os_resource_classes.STANDARDS)

_INSERT = (
    insert(resource_classes)
    .values(name=bindparam("name"), created_at=bindparam("now"))
    .returning(resource_classes.c.id)
)


def is_standard(name: str) -> bool:
    """True for a class that everybody knows."""
    return name in STANDARD


def ids_of(tx: Transaction, names: Sequence[str]) -> dict[str, int]:
    """Row numbers by name; those that were never used are missing."""
    return {
        row["name"]: row["id"]
        for piece in sets.pieces(names)
        for row in tx.rows(_ids(len(piece)), sets.numbered("name", piece))
    }


def ensure(tx: Transaction, name: str, now: int) -> int:
    """The row number of a class, which is made when it is new."""
    found = ids_of(tx, [name])
    if found:
        return found[name]
    try:
        return int(tx.values(_INSERT, {"name": name, "now": now})[0])
    except Duplicate as error:
        # Somebody else made it this very moment; a new attempt will find it.
        raise Again from error


@cache
def _ids(count: int) -> Select[Any]:
    columns = (resource_classes.c.id, resource_classes.c.name)
    return select(*columns).where(resource_classes.c.name.in_(sets.binds("name", count)))
