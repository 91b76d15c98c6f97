"""Traits of providers. A node's traits are its provider's: they are stored once."""

from collections.abc import Collection
from functools import cache

from sqlalchemy import Delete, Insert, Select, bindparam, delete, insert, select

from dibs.store.tables import provider_traits
from dibs.store.tables import traits as catalogue
from dibs.store.transaction import Again, Duplicate, Transaction

_OF_PROVIDER = (
    select(provider_traits.c.trait)
    .where(provider_traits.c.provider_id == bindparam("of_id"))
    .order_by(provider_traits.c.trait)
)


def of_provider(tx: Transaction, provider_id: int) -> list[str]:
    """The provider's traits, in alphabetical order."""
    return tx.values(_OF_PROVIDER, {"of_id": provider_id})


def add(tx: Transaction, provider_id: int, traits: Collection[str], now: int) -> None:
    """Add traits that the provider does not have yet, all at once."""
    if traits:
        ensure(tx, traits, now)
        tx.change(_insert(len(traits)), {"of_id": provider_id, **_named(traits)})


def remove(tx: Transaction, provider_id: int, traits: Collection[str]) -> None:
    """Remove traits, in one statement."""
    if traits:
        tx.change(_delete(len(traits)), {"of_id": provider_id, **_named(traits)})


def ensure(tx: Transaction, traits: Collection[str], now: int) -> None:
    """Make the rows of traits that are used for the first time."""
    known = set(tx.values(_known(len(traits)), _named(traits)))
    new = [trait for trait in traits if trait not in known]
    if not new:
        return
    try:
        tx.change(_insert_new(len(new)), {"now": now, **_named(new)})
    except Duplicate as error:
        # Somebody else made one of them this very moment; a new attempt will find it.
        raise Again from error


def _named(traits: Collection[str]) -> dict[str, str]:
    return {f"trait_{index}": trait for index, trait in enumerate(traits)}


@cache
def _known(count: int) -> Select[tuple[str]]:
    """One statement per number of traits; a request has at most a few dozen."""
    return select(catalogue.c.name).where(catalogue.c.name.in_([bindparam(f"trait_{index}") for index in range(count)]))


@cache
def _insert_new(count: int) -> Insert:
    return insert(catalogue).values(
        [{"name": bindparam(f"trait_{index}"), "created_at": bindparam("now")} for index in range(count)]
    )


@cache
def _insert(count: int) -> Insert:
    return insert(provider_traits).values(
        [{"provider_id": bindparam("of_id"), "trait": bindparam(f"trait_{index}")} for index in range(count)]
    )


@cache
def _delete(count: int) -> Delete:
    return delete(provider_traits).where(
        provider_traits.c.provider_id == bindparam("of_id"),
        provider_traits.c.trait.in_([bindparam(f"trait_{index}") for index in range(count)]),
    )
