"""The catalogue of traits: the standard ones, and the custom ones that clients created."""

from collections.abc import Collection

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.errors import NoSuchTrait, StandardTrait, TraitInUse
from dibs.ledger.model.traits import standard_traits
from dibs.ledger.queries import traits


class Trait(Struct, frozen=True, kw_only=True):
    """One trait."""

    name: str
    created_at: int | None
    """The time of the creation; None for a standard trait that was never used."""


class ListTraits(Struct, frozen=True, kw_only=True):
    """The filters of a list of traits."""

    names: frozenset[str] | None = None
    """Only these; None for every name."""
    prefix: str = ""
    """Only names that start with this."""
    has_providers: bool | None = None
    """Only traits that some provider has (True) or that no provider has (False); None for both."""

    def includes(self, name: str) -> bool:
        """Return True for a name to show."""
        return name.startswith(self.prefix) and (self.names is None or name in self.names)


class EnsuredTrait(Struct, frozen=True, kw_only=True):
    """A trait that exists, and whether it is new."""

    trait: Trait
    is_new: bool


def list_traits(tx: Transaction, access: Access, now: int, command: ListTraits) -> list[Trait]:
    """Return the traits that match the filters, in alphabetical order."""
    rows = {row["name"]: row for row in traits.every(tx)}
    in_use = {name for name, row in rows.items() if row["has_providers"]}
    return [
        Trait(name=name, created_at=rows[name]["created_at"] if name in rows else None)
        for name in sorted(standard_traits() | rows.keys())
        if command.includes(name) and command.has_providers in (None, name in in_use)
    ]


def get_trait(tx: Transaction, access: Access, now: int, name: str) -> Trait:
    """Return a trait."""
    row = traits.get(tx, name)
    if row is None and name not in standard_traits():
        raise NoSuchTrait(traits=name)
    return Trait(name=name, created_at=row["created_at"] if row else None)


def ensure_trait(tx: Transaction, access: Access, now: int, name: str) -> EnsuredTrait:
    """Create a custom trait unless it exists."""
    row = traits.get(tx, name)
    if row is not None:
        return EnsuredTrait(trait=Trait(name=name, created_at=row["created_at"]), is_new=False)
    traits.ensure(tx, [name], now)
    return EnsuredTrait(trait=Trait(name=name, created_at=now), is_new=True)


def delete_trait(tx: Transaction, access: Access, now: int, name: str) -> None:
    """Delete a custom trait that no provider has."""
    if name in standard_traits():
        raise StandardTrait(trait=name)
    if not traits.lock(tx, name):
        raise NoSuchTrait(traits=name)
    row = traits.get(tx, name)
    if row is not None and row["has_providers"]:
        raise TraitInUse(trait=name)
    traits.remove_name(tx, name)


def require_traits(tx: Transaction, names: Collection[str], *, hold: bool = False) -> None:
    """Raise for names that are not traits; with ``hold``, no other transaction can delete them until this one ends."""
    custom = sorted(set(names) - standard_traits())
    missing = sorted(set(custom) - traits.known(tx, custom, hold=hold))
    if missing:
        raise NoSuchTrait(traits=", ".join(missing))
