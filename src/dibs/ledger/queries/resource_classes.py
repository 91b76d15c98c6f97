"""Resource classes. The os-resource-classes library lists the standard ones; they get a row at first use.

A transaction that writes inventories of a class takes a shared lock on its row (``hold``); one that deletes the class
takes an exclusive lock (``lock``). So no inventory can refer to a deleted class.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import os_resource_classes
from sqlalchemy import Insert, Select, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Row, Transaction
from dibs.ledger.queries import structure
from dibs.ledger.tables import inventories, resource_classes

STANDARD = tuple(os_resource_classes.STANDARDS)
_RANKS = {name: rank for rank, name in enumerate(STANDARD)}

_SHOWN = select(resource_classes.c.name, resource_classes.c.created_at, resource_classes.c.updated_at)
_ALL = _SHOWN.order_by(resource_classes.c.name)
_ONE = _SHOWN.where(resource_classes.c.name == bindparam("of_name"))
_LOCK = select(resource_classes.c.id).where(resource_classes.c.name == bindparam("of_name")).with_for_update()
_IN_USE = select(inventories.c.provider_id).where(inventories.c.class_id == bindparam("of_id")).limit(1)
_RENAME = (
    update(resource_classes)
    .where(resource_classes.c.id == bindparam("of_id"))
    .values(name=bindparam("name"), updated_at=bindparam("now"))
)
_DELETE = delete_rows(resource_classes).where(resource_classes.c.id == bindparam("of_id"))


def is_standard(name: str) -> bool:
    """Return True for a class of the os-resource-classes library."""
    return name in _RANKS


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names: standard classes in the order of the library, then custom ones by name."""
    return sorted(names, key=lambda name: (_RANKS.get(name, len(_RANKS)), name))


def every(tx: Transaction) -> list[Row]:
    """Return every class that has a row: the custom ones, and the standard ones that were ever used."""
    return tx.rows(_ALL)


def get(tx: Transaction, name: str) -> Row | None:
    """Return a class; None when it has no row."""
    return tx.row(_ONE, {"of_name": name})


def lock(tx: Transaction, name: str) -> int | None:
    """Lock a class against use and change, and return its row id; None when it has no row."""
    found = tx.values(_LOCK, {"of_name": name})
    return int(found[0]) if found else None


def ids_of(tx: Transaction, names: Sequence[str]) -> dict[str, int]:
    """Return row ids by name; classes without a row are missing."""
    return _read_ids(tx, names, hold=False)


def hold(tx: Transaction, names: Sequence[str]) -> dict[str, int]:
    """Return row ids by name under a shared lock: no other transaction can delete these classes until this one ends."""
    return _read_ids(tx, names, hold=True)


def ensure(tx: Transaction, names: Sequence[str], now: int) -> dict[str, int]:
    """Return the row ids of classes under a shared lock; insert the classes that have no row."""
    found = hold(tx, names)
    return found | create_many(tx, sorted(set(names) - found.keys()), now)


def create_many(tx: Transaction, names: Sequence[str], now: int) -> dict[str, int]:
    """Insert the rows of classes that have none, and return their ids."""
    created: dict[str, int] = {}
    for piece in sets.pieces(names):
        try:
            rows = tx.rows(_insert(len(piece)), {"now": now, **sets.numbered("name", piece)})
        except Duplicate as error:
            # A concurrent transaction inserted one of them; the next attempt finds it.
            raise Again from error
        created |= {row["name"]: row["id"] for row in rows}
    return created


def create(tx: Transaction, name: str, now: int) -> None:
    """Insert a class; raise Duplicate when it exists."""
    tx.rows(_insert(1), {"now": now, "name_0": name})


def rename(tx: Transaction, class_id: int, name: str, now: int) -> None:
    """Rename a class; raise Duplicate when another class has the name."""
    tx.change(_RENAME, {"of_id": class_id, "name": name, "now": now})
    structure.changed_everywhere(tx)


def delete(tx: Transaction, class_id: int) -> None:
    """Delete a locked class without inventories."""
    tx.change(_DELETE, {"of_id": class_id})


def in_use(tx: Transaction, class_id: int) -> bool:
    """Return True when a provider has an inventory of the class."""
    return bool(tx.values(_IN_USE, {"of_id": class_id}))


def _read_ids(tx: Transaction, names: Sequence[str], *, hold: bool) -> dict[str, int]:
    return {
        row["name"]: row["id"]
        for piece in sets.pieces(sorted(names))
        for row in tx.rows(_ids(len(piece), hold), sets.numbered("name", piece))
    }


@sets.cached
def _ids(count: int, hold: bool) -> Select[Any]:
    columns = (resource_classes.c.id, resource_classes.c.name)
    statement = select(*columns).where(resource_classes.c.name.in_(sets.binds("name", count)))
    return statement.with_for_update(read=True, key_share=True) if hold else statement


@sets.cached
def _insert(count: int) -> Insert:
    rows = [{"name": name, "created_at": bindparam("now")} for name in sets.binds("name", count)]
    return insert(resource_classes).values(rows).returning(resource_classes.c.id, resource_classes.c.name)
