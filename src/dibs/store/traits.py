"""Traits of providers. A node's traits are its provider's: they are stored once."""

from collections.abc import Collection
from functools import cache

from sqlalchemy import Delete, Insert, bindparam, delete, insert, select

from dibs.store.tables import provider_traits
from dibs.store.transaction import Transaction

_OF_PROVIDER = (
    select(provider_traits.c.trait)
    .where(provider_traits.c.provider_id == bindparam("of_id"))
    .order_by(provider_traits.c.trait)
)


def of_provider(tx: Transaction, provider_id: int) -> list[str]:
    """The provider's traits, in alphabetical order."""
    return tx.values(_OF_PROVIDER, {"of_id": provider_id})


def add(tx: Transaction, provider_id: int, traits: Collection[str]) -> None:
    """Add traits that the provider does not have yet, in one statement."""
    if traits:
        tx.change(_insert(len(traits)), {"of_id": provider_id, **_named(traits)})


def remove(tx: Transaction, provider_id: int, traits: Collection[str]) -> None:
    """Remove traits, in one statement."""
    if traits:
        tx.change(_delete(len(traits)), {"of_id": provider_id, **_named(traits)})


def _named(traits: Collection[str]) -> dict[str, str]:
    return {f"trait_{index}": trait for index, trait in enumerate(traits)}


@cache
def _insert(count: int) -> Insert:
    """One statement per number of traits; a node has at most fifty."""
    return insert(provider_traits).values(
        [{"provider_id": bindparam("of_id"), "trait": bindparam(f"trait_{index}")} for index in range(count)]
    )


@cache
def _delete(count: int) -> Delete:
    return delete(provider_traits).where(
        provider_traits.c.provider_id == bindparam("of_id"),
        provider_traits.c.trait.in_([bindparam(f"trait_{index}") for index in range(count)]),
    )
