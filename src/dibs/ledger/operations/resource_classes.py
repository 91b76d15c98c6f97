"""Resource classes: the kinds of things that providers have."""

from collections.abc import Collection
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceClass:
    """One class."""

    name: str
    changed_at: int | None
    """When it was made or renamed; None for a standard one, which is older than everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedClass:
    """One class by name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameClass(NamedClass):
    """Another name for a class."""

    new_name: str


def list_resource_classes(tx: Transaction, access: Access, now: int, command: None) -> list[ResourceClass]:
    """The standard ones, then the custom ones."""
    custom = [_shown(row) for row in resource_classes.every(tx) if not is_standard(row["name"])]
    return [ResourceClass(name=name, changed_at=None) for name in STANDARD] + custom


def get_resource_class(tx: Transaction, access: Access, now: int, command: NamedClass) -> ResourceClass:
    """One class."""
    if is_standard(command.name):
        return ResourceClass(name=command.name, changed_at=None)
    row = resource_classes.get(tx, command.name)
    if row is None:
        raise ResourceClassNotFound(resource_class=command.name)
    return _shown(row)


def create_resource_class(tx: Transaction, access: Access, now: int, command: NamedClass) -> None:
    """Add a custom class."""
    try:
        resource_classes.create(tx, command.name, now)
    except Duplicate as error:
        raise ResourceClassExists(resource_class=command.name) from error


def ensure_resource_class(tx: Transaction, access: Access, now: int, command: NamedClass) -> bool:
    """Add a custom class unless it is there; True when it was not."""
    if resource_classes.get(tx, command.name) is not None:
        return False
    try:
        resource_classes.create(tx, command.name, now)
    except Duplicate as error:
        # Somebody else made it this very moment; a new attempt will find it.
        raise Again from error
    return True


def rename_resource_class(tx: Transaction, access: Access, now: int, command: RenameClass) -> ResourceClass:
    """Give a custom class another name, on every provider that has it."""
    class_id = _lock_custom(tx, command.name, "update")
    for guard in guards(tx):
        guard.check_class_rename(tx, class_id, command.name)
    try:
        resource_classes.rename(tx, class_id, command.new_name, now)
    except Duplicate as error:
        raise ResourceClassExists(resource_class=command.new_name) from error
    return ResourceClass(name=command.new_name, changed_at=now)


def delete_resource_class(tx: Transaction, access: Access, now: int, command: NamedClass) -> None:
    """Remove a custom class that no provider has."""
    class_id = _lock_custom(tx, command.name, "delete")
    if resource_classes.in_use(tx, class_id):
        raise ResourceClassInUse(resource_class=command.name)
    resource_classes.delete(tx, class_id)


def require_classes(tx: Transaction, names: Collection[str]) -> dict[str, int]:
    """Refuse names that are no classes; gives the row numbers of those that were ever used."""
    found = resource_classes.ids_of(tx, sorted(names))
    _check_known(names, found)
    return found


def use_classes(tx: Transaction, names: Collection[str], now: int) -> dict[str, int]:
    """The row numbers of classes that a provider is to have; refuses names that are no classes."""
    found = resource_classes.hold(tx, sorted(names))
    _check_known(names, found)
    return found | resource_classes.make(tx, sorted(set(names) - found.keys()), now)


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
