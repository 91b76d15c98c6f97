"""Resource classes, standard and custom."""

from collections.abc import Collection

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Again, Duplicate, Row, Transaction
from dibs.ledger.model.errors import (
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
    StandardResourceClass,
)
from dibs.ledger.operations.guards import guards
from dibs.ledger.queries import resource_classes
from dibs.ledger.queries.resource_classes import STANDARD, is_standard


class ResourceClass(Struct, frozen=True, kw_only=True):
    """One resource class."""

    name: str
    changed_at: int | None
    """The time of the creation or the last rename; None for a standard class."""


class RenameClass(Struct, frozen=True, kw_only=True):
    """A new name for a custom resource class."""

    name: str
    new_name: str


def list_resource_classes(tx: Transaction, access: Access, now: int, command: None) -> list[ResourceClass]:
    """Return the standard classes, then the custom ones."""
    custom = [_shown(row) for row in resource_classes.every(tx) if not is_standard(row["name"])]
    return [ResourceClass(name=name, changed_at=None) for name in STANDARD] + custom


def get_resource_class(tx: Transaction, access: Access, now: int, name: str) -> ResourceClass:
    """Return a resource class."""
    if is_standard(name):
        return ResourceClass(name=name, changed_at=None)
    row = resource_classes.get(tx, name)
    if row is None:
        raise ResourceClassNotFound(resource_class=name)
    return _shown(row)


def create_resource_class(tx: Transaction, access: Access, now: int, name: str) -> None:
    """Create a custom resource class."""
    try:
        resource_classes.create(tx, name, now)
    except Duplicate as error:
        raise ResourceClassExists(resource_class=name) from error


def ensure_resource_class(tx: Transaction, access: Access, now: int, name: str) -> bool:
    """Create a custom resource class unless it exists; return True when it is new."""
    if resource_classes.get(tx, name) is not None:
        return False
    try:
        resource_classes.create(tx, name, now)
    except Duplicate as error:
        # A concurrent transaction created it; the next attempt finds it.
        raise Again from error
    return True


def rename_resource_class(tx: Transaction, access: Access, now: int, command: RenameClass) -> ResourceClass:
    """Rename a custom resource class, on every provider that has it."""
    class_id = _lock_custom(tx, command.name, "update")
    for guard in guards(tx):
        guard.check_class_rename(tx, class_id, command.name)
    try:
        resource_classes.rename(tx, class_id, command.new_name, now)
    except Duplicate as error:
        raise ResourceClassExists(resource_class=command.new_name) from error
    return ResourceClass(name=command.new_name, changed_at=now)


def delete_resource_class(tx: Transaction, access: Access, now: int, name: str) -> None:
    """Delete a custom resource class that no provider has."""
    class_id = _lock_custom(tx, name, "delete")
    if resource_classes.in_use(tx, class_id):
        raise ResourceClassInUse(resource_class=name)
    resource_classes.delete(tx, class_id)


def require_classes(tx: Transaction, names: Collection[str]) -> dict[str, int]:
    """Raise for a name that is not a resource class; return the row ids of the classes that have a row."""
    found = resource_classes.ids_of(tx, sorted(names))
    _check_known(names, found)
    return found


def use_classes(tx: Transaction, names: Collection[str], now: int) -> dict[str, int]:
    """Return the row ids of classes for new inventories, under a shared lock; raise for a name that is not a class."""
    found = resource_classes.hold(tx, sorted(names))
    _check_known(names, found)
    return found | resource_classes.create_many(tx, sorted(set(names) - found.keys()), now)


def _check_known(names: Collection[str], found: Collection[str]) -> None:
    for name in sorted(names):
        if name not in found and not is_standard(name):
            raise ResourceClassNotFound(resource_class=name)


def _lock_custom(tx: Transaction, name: str, action: str) -> int:
    if is_standard(name):
        raise StandardResourceClass(action=action, resource_class=name)
    class_id = resource_classes.lock(tx, name)
    if class_id is None:
        raise ResourceClassNotFound(resource_class=name)
    for guard in guards(tx):
        guard.check_class_removal(tx, name)
    return class_id


def _shown(row: Row) -> ResourceClass:
    return ResourceClass(name=row["name"], changed_at=row["updated_at"] or row["created_at"])
