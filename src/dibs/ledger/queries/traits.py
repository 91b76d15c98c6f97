"""Traits: the catalogue of names, and the traits of each provider. A node's traits are its provider's.

The catalogue's table has the custom traits and the standard traits that were ever used; the os-traits library lists the
others. A transaction that adds a trait to a provider takes a shared lock on the trait's row, one that deletes the trait
an exclusive lock. So no provider can have a deleted trait.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Delete, Insert, Select, bindparam, delete, exists, insert, select

from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Row, Transaction
from dibs.ledger.queries import structure
from dibs.ledger.tables import provider_traits
from dibs.ledger.tables import traits as catalogue

_OF_PROVIDER = (
    select(provider_traits.c.trait)
    .where(provider_traits.c.provider_id == bindparam("of_id"))
    .order_by(provider_traits.c.trait)
)
_NEWEST_OF_PROVIDER = (
    select(catalogue.c.created_at)
    .join(provider_traits, provider_traits.c.trait == catalogue.c.name)
    .where(provider_traits.c.provider_id == bindparam("of_id"))
    .order_by(catalogue.c.created_at.desc())
    .limit(1)
)
_SHOWN = select(
    catalogue.c.name,
    catalogue.c.created_at,
    exists().where(provider_traits.c.trait == catalogue.c.name).label("has_providers"),
)
_EVERY = _SHOWN.order_by(catalogue.c.name)
_ONE = _SHOWN.where(catalogue.c.name == bindparam("of_name"))
_LOCK = select(catalogue.c.name).where(catalogue.c.name == bindparam("of_name")).with_for_update()
_REMOVE_NAME = delete(catalogue).where(catalogue.c.name == bindparam("of_name"))


def of_provider(tx: Transaction, provider_id: int) -> list[str]:
    """Return the traits of a provider in alphabetical order."""
    return tx.values(_OF_PROVIDER, {"of_id": provider_id})


def newest_of_provider(tx: Transaction, provider_id: int) -> int | None:
    """Return the creation time of the newest trait of a provider; None when it has no traits."""
    found = tx.values(_NEWEST_OF_PROVIDER, {"of_id": provider_id})
    return found[0] if found else None


def of_providers(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the traits of several providers; a provider without traits has an empty list."""
    found: dict[int, list[str]] = {provider_id: [] for provider_id in provider_ids}
    for piece in sets.pieces(provider_ids):
        for provider_id, trait in tx.tuples(_of_providers(len(piece)), sets.numbered("id", piece)):
            found[provider_id].append(trait)
    return found


def add(tx: Transaction, provider_id: int, traits: Collection[str], now: int) -> None:
    """Add traits that the provider does not have yet."""
    ensure(tx, traits, now)
    structure.changed(tx, [provider_id] if traits else [])
    for piece in sets.pieces(sorted(traits)):
        tx.change(_insert(len(piece)), {"of_id": provider_id, **sets.numbered("trait", piece)})


def remove(tx: Transaction, provider_id: int, traits: Collection[str]) -> None:
    """Remove traits from a provider."""
    structure.changed(tx, [provider_id] if traits else [])
    for piece in sets.pieces(sorted(traits)):
        tx.change(_delete(len(piece)), {"of_id": provider_id, **sets.numbered("trait", piece)})


def ensure(tx: Transaction, traits: Collection[str], now: int) -> None:
    """Insert the rows of traits that are used for the first time."""
    missing = set(traits) - known(tx, sorted(traits), hold=True)
    for piece in sets.pieces(sorted(missing)):
        try:
            tx.change(_insert_new(len(piece)), {"now": now, **sets.numbered("trait", piece)})
        except Duplicate as error:
            # A concurrent transaction inserted one of them; the next attempt finds it.
            raise Again from error


def known(tx: Transaction, traits: Sequence[str], *, hold: bool = False) -> set[str]:
    """Return the names that have a row; with ``hold``, no other transaction can delete them until this one ends."""
    return {
        name
        for piece in sets.pieces(traits)
        for name in tx.values(_known(len(piece), hold), sets.numbered("trait", piece))
    }


def every(tx: Transaction) -> list[Row]:
    """Return every trait that has a row, with its creation time and whether a provider has it."""
    return tx.rows(_EVERY)


def get(tx: Transaction, name: str) -> Row | None:
    """Return a trait in the same form; None when it has no row."""
    return tx.row(_ONE, {"of_name": name})


def lock(tx: Transaction, name: str) -> bool:
    """Lock a trait against use and deletion; return False when it has no row."""
    return bool(tx.values(_LOCK, {"of_name": name}))


def remove_name(tx: Transaction, name: str) -> None:
    """Delete a locked trait that no provider has from the catalogue."""
    tx.change(_REMOVE_NAME, {"of_name": name})


@sets.cached
def _known(count: int, hold: bool) -> Select[tuple[str]]:
    statement = select(catalogue.c.name).where(catalogue.c.name.in_(sets.binds("trait", count)))
    return statement.with_for_update(read=True, key_share=True) if hold else statement


@sets.cached
def _insert_new(count: int) -> Insert:
    rows: list[dict[str, Any]] = [{"name": name, "created_at": bindparam("now")} for name in sets.binds("trait", count)]
    return insert(catalogue).values(rows)


@sets.cached
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {"provider_id": bindparam("of_id"), "trait": name} for name in sets.binds("trait", count)
    ]
    return insert(provider_traits).values(rows)


@sets.cached
def _delete(count: int) -> Delete:
    return delete(provider_traits).where(
        provider_traits.c.provider_id == bindparam("of_id"),
        provider_traits.c.trait.in_(sets.binds("trait", count)),
    )


@sets.cached
def _of_providers(count: int) -> Select[Any]:
    columns = (provider_traits.c.provider_id, provider_traits.c.trait)
    return select(*columns).where(provider_traits.c.provider_id.in_(sets.binds("id", count)))
