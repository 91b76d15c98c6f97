"""The names of the properties that operators give to hosts, and which of them only operators see."""

from typing import Any

from sqlalchemy import bindparam, insert, select, update

from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.leases.model.hosts import PropertyName
from dibs.leases.tables import host_properties, property_names

_EVERY = select(*property_names.c).order_by(property_names.c.name)
_ONE = _EVERY.where(property_names.c.name == bindparam("of_name"))
_VALUES = (
    select(host_properties.c.name, host_properties.c.value)
    .distinct()
    .order_by(host_properties.c.name, host_properties.c.value)
)
_INSERT = insert(property_names).values(
    uuid=bindparam("uuid"), name=bindparam("name"), private=0, created_at=bindparam("now")
)
_SET_PRIVATE = (
    update(property_names)
    .where(property_names.c.name == bindparam("of_name"))
    .values(private=bindparam("new_private"), updated_at=bindparam("now"))
)


def every(tx: Transaction) -> list[PropertyName]:
    """Return every name that a host has or had, in alphabetical order."""
    return [_property(row) for row in tx.rows(_EVERY)]


def get(tx: Transaction, name: str) -> PropertyName | None:
    """Return one name; None when no host ever had it."""
    row = tx.row(_ONE, {"of_name": name})
    return _property(row) if row else None


def values(tx: Transaction) -> dict[str, list[str]]:
    """Return the values that hosts have, by name."""
    found: dict[str, list[str]] = {}
    for name, value in tx.tuples(_VALUES):
        found.setdefault(name, []).append(value)
    return found


def add(tx: Transaction, uuid: str, name: str, now: int) -> None:
    """Add a name that no host had before."""
    try:
        tx.change(_INSERT, {"uuid": uuid, "name": name, "now": now})
    except Duplicate as error:
        # Another transaction added it at the same moment; the next attempt finds it.
        raise Again from error


def set_private(tx: Transaction, name: str, private: bool, now: int) -> bool:
    """Show a name to all callers or to operators only; return False when there is no such name."""
    return tx.change(_SET_PRIVATE, {"of_name": name, "new_private": int(private), "now": now}) == 1


def _property(row: dict[str, Any]) -> PropertyName:
    return PropertyName(**{**row, "private": bool(row["private"])})
