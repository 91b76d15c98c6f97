"""Resource classes. Standard ones are known from the os-resource-classes library; their rows are made at first use.

Who writes inventories of a class holds its row with a shared lock (``hold``), who removes the class with an exclusive
one: so neither can pull the row from under the other.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import os_resource_classes
from sqlalchemy import Insert, Select, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Row, Transaction
from dibs.ledger.tables import inventories, resource_classes

STANDARD = tuple(os_resource_classes.STANDARDS)
_PLACES = {name: place for place, name in enumerate(STANDARD)}

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
    """True for a class that everybody knows."""
    return name in _PLACES


def in_order(names: Iterable[str]) -> list[str]:
    """Standard classes as the library lists them, then the custom ones by name."""
    return sorted(names, key=lambda name: (_PLACES.get(name, len(_PLACES)), name))


def every(tx: Transaction) -> list[Row]:
    """Every class that has a row: the custom ones, and those standard ones that were ever used."""
    return tx.rows(_ALL)


def get(tx: Transaction, name: str) -> Row | None:
    """One class that has a row."""
    return tx.row(_ONE, {"of_name": name})


def lock(tx: Transaction, name: str) -> int | None:
    """The row number of a class, with all others kept from using or changing it; None when it has no row."""
    found = tx.values(_LOCK, {"of_name": name})
    return int(found[0]) if found else None


def ids_of(tx: Transaction, names: Sequence[str]) -> dict[str, int]:
    """Row numbers by name; those that were never used are missing."""
    return _read_ids(tx, names, hold=False)


def hold(tx: Transaction, names: Sequence[str]) -> dict[str, int]:
    """The same for who is about to write inventories: nobody can remove these classes until the transaction ends."""
    return _read_ids(tx, names, hold=True)


def ensure(tx: Transaction, names: Sequence[str], now: int) -> dict[str, int]:
    """The row numbers of classes, which are made where they are new; held, as by ``hold``."""
    found = hold(tx, names)
    return found | make(tx, sorted(set(names) - found.keys()), now)


def make(tx: Transaction, names: Sequence[str], now: int) -> dict[str, int]:
    """Make the rows of classes that have none; gives their numbers."""
    made: dict[str, int] = {}
    for piece in sets.pieces(names):
        try:
            rows = tx.rows(_insert(len(piece)), {"now": now, **sets.numbered("name", piece)})
        except Duplicate as error:
            # Somebody else made one of them this very moment; a new attempt will find it.
            raise Again from error
        made |= {row["name"]: row["id"] for row in rows}
    return made


def create(tx: Transaction, name: str, now: int) -> None:
    """Add a class; Duplicate when it is there already."""
    tx.rows(_insert(1), {"now": now, "name_0": name})


def rename(tx: Transaction, class_id: int, name: str, now: int) -> None:
    """Give a class another name; Duplicate when another has it."""
    tx.change(_RENAME, {"of_id": class_id, "name": name, "now": now})


def delete(tx: Transaction, class_id: int) -> None:
    """Remove a locked class that nobody has."""
    tx.change(_DELETE, {"of_id": class_id})


def in_use(tx: Transaction, class_id: int) -> bool:
    """True when a provider has an inventory of it."""
    return bool(tx.values(_IN_USE, {"of_id": class_id}))


def _read_ids(tx: Transaction, names: Sequence[str], *, hold: bool) -> dict[str, int]:
    return {
        row["name"]: row["id"]
        for piece in sets.pieces(sorted(names))
        for row in tx.rows(_ids(len(piece), hold), sets.numbered("name", piece))
    }


@cache
def _ids(count: int, hold: bool) -> Select[Any]:
    columns = (resource_classes.c.id, resource_classes.c.name)
    statement = select(*columns).where(resource_classes.c.name.in_(sets.binds("name", count)))
    return statement.with_for_update(read=True, key_share=True) if hold else statement


@cache
def _insert(count: int) -> Insert:
    rows = [{"name": name, "created_at": bindparam("now")} for name in sets.binds("name", count)]
    return insert(resource_classes).values(rows).returning(resource_classes.c.id, resource_classes.c.name)
