"""Claims, and the used amount of each inventory. Only ``operations.claiming`` writes them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Insert, Select, Update, and_, bindparam, case, insert, or_, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Again, Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.tables import claims, consumers, inventories, providers, resource_classes

_REMOVE_FROM = delete_rows(claims).where(
    claims.c.consumer_id == bindparam("consumer_id"), claims.c.provider_id == bindparam("provider_id")
)


class Held(NamedTuple):
    """A claim, with the names of its provider and class."""

    consumer_id: int
    key: InventoryKey
    amount: int
    provider: str
    resource_class: str


def held_by(tx: Transaction, consumer_ids: Sequence[int]) -> list[Held]:
    """Return the claims of consumers."""
    return [
        Held(consumer_id, InventoryKey(provider_id, class_id), amount, provider, resource_class)
        for piece in sets.pieces(consumer_ids)
        for consumer_id, provider_id, class_id, amount, provider, resource_class in tx.tuples(
            _held(len(piece)), sets.numbered("id", piece)
        )
    ]


def providers_of(tx: Transaction, uuids: Sequence[str]) -> set[tuple[str, int]]:
    """Return the providers on which consumers have claims, as pairs of uuid and row id."""
    return {
        (consumer, provider_id)
        for piece in sets.pieces(sorted(uuids))
        for consumer, provider_id in tx.tuples(_providers_of(len(piece)), sets.numbered("uuid", piece))
    }


def remove(tx: Transaction, consumer_ids: Sequence[int]) -> None:
    """Delete every claim of consumers. The caller updates the inventories with ``add_to_used``."""
    for piece in sets.pieces(consumer_ids):
        tx.change(_delete(len(piece)), sets.numbered("id", piece))


def remove_from(tx: Transaction, consumer_id: int, provider_id: int) -> None:
    """Delete the claims of one consumer on one provider. The caller updates the inventories with ``add_to_used``."""
    tx.change(_REMOVE_FROM, {"consumer_id": consumer_id, "provider_id": provider_id})


def add(tx: Transaction, new: Sequence[tuple[int, InventoryKey, int]], now: int) -> None:
    """Insert claims: consumer, inventory and amount. The caller updates the inventories with ``add_to_used``."""
    for piece in sets.pieces(new):
        rows = [
            {"consumer": consumer_id, "provider": key.provider_id, "class": key.class_id, "amount": amount}
            for consumer_id, key, amount in piece
        ]
        tx.change(_insert(len(piece)), {"now": now, **sets.columns(rows)})


def add_to_used(tx: Transaction, changes: Mapping[InventoryKey, int]) -> None:
    """Add to the used amount of each inventory, or subtract from it, as its claims changed."""
    changed = [(key, change) for key, change in sorted(changes.items()) if change]
    for piece in sets.pieces(changed):
        rows = [{"provider": key.provider_id, "class": key.class_id, "change": change} for key, change in piece]
        if tx.change(_add_to_used(len(piece)), sets.columns(rows)) != len(piece):
            # A concurrent transaction removed an inventory: the next attempt finds it missing.
            raise Again


@sets.cached
def _held(count: int) -> Select[Any]:
    columns = (claims.c.consumer_id, claims.c.provider_id, claims.c.class_id, claims.c.amount)
    return (
        select(*columns, providers.c.uuid, resource_classes.c.name)
        .join(providers, providers.c.id == claims.c.provider_id)
        .join(resource_classes, resource_classes.c.id == claims.c.class_id)
        .where(claims.c.consumer_id.in_(sets.binds("id", count)))
    )


@sets.cached
def _providers_of(count: int) -> Select[Any]:
    owned = select(consumers.c.uuid, claims.c.provider_id).join(claims, claims.c.consumer_id == consumers.c.id)
    return owned.where(consumers.c.uuid.in_(sets.binds("uuid", count))).distinct()


@sets.cached
def _delete(count: int) -> Delete:
    return delete_rows(claims).where(claims.c.consumer_id.in_(sets.binds("id", count)))


@sets.cached
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "consumer_id": bindparam(f"consumer_{number}"),
            "provider_id": bindparam(f"provider_{number}"),
            "class_id": bindparam(f"class_{number}"),
            "amount": bindparam(f"amount_{number}"),
            "created_at": bindparam("now"),
        }
        for number in range(count)
    ]
    return insert(claims).values(rows)


@sets.cached
def _add_to_used(count: int) -> Update:
    """UPDATE inventories SET used = used + CASE WHEN <first key> THEN <its change> … END WHERE <first key> OR …"""
    keys = [
        and_(
            inventories.c.provider_id == bindparam(f"provider_{number}"),
            inventories.c.class_id == bindparam(f"class_{number}"),
        )
        for number in range(count)
    ]
    change = case(*zip(keys, sets.binds("change", count, BigInteger()), strict=True))
    return update(inventories).where(or_(*keys)).values(used=inventories.c.used + change)
