"""Claims: who has how much of which provider. Only ``usecases.booking`` writes them."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Insert, Select, Update, and_, bindparam, case, insert, or_, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.tables import claims, inventories

_REMOVE_FROM = delete_rows(claims).where(
    claims.c.consumer_id == bindparam("consumer_id"), claims.c.provider_id == bindparam("provider_id")
)


def held_by(tx: Transaction, consumer_ids: Sequence[int]) -> list[tuple[int, InventoryKey, int]]:
    """What consumers have: consumer, place and amount."""
    return [
        (row["consumer_id"], InventoryKey(row["provider_id"], row["class_id"]), row["amount"])
        for piece in sets.pieces(consumer_ids)
        for row in tx.rows(_held(len(piece)), sets.numbered("id", piece))
    ]


def remove(tx: Transaction, consumer_ids: Sequence[int]) -> None:
    """Remove every claim of consumers; ``add_to_used`` says so to the inventories."""
    for piece in sets.pieces(consumer_ids):
        tx.change(_delete(len(piece)), sets.numbered("id", piece))


def remove_from(tx: Transaction, consumer_id: int, provider_id: int) -> None:
    """Remove what one consumer has of one provider."""
    tx.change(_REMOVE_FROM, {"consumer_id": consumer_id, "provider_id": provider_id})


def add(tx: Transaction, new: Sequence[tuple[int, InventoryKey, int]], now: int) -> None:
    """Add claims: consumer, place and amount; ``add_to_used`` says so to the inventories."""
    for piece in sets.pieces(new):
        rows = [
            {"consumer": consumer_id, "provider": place.provider_id, "class": place.class_id, "amount": amount}
            for consumer_id, place, amount in piece
        ]
        tx.change(_insert(len(piece)), {"now": now, **sets.columns(rows)})


def add_to_used(tx: Transaction, changes: Mapping[InventoryKey, int]) -> None:
    """Keep what is used of each place in step with the claims on it."""
    moved = [(place, change) for place, change in sorted(changes.items()) if change]
    for piece in sets.pieces(moved):
        rows = [{"provider": place.provider_id, "class": place.class_id, "change": change} for place, change in piece]
        tx.change(_add_to_used(len(piece)), sets.columns(rows))


@cache
def _held(count: int) -> Select[Any]:
    columns = (claims.c.consumer_id, claims.c.provider_id, claims.c.class_id, claims.c.amount)
    return select(*columns).where(claims.c.consumer_id.in_(sets.binds("id", count)))


@cache
def _delete(count: int) -> Delete:
    return delete_rows(claims).where(claims.c.consumer_id.in_(sets.binds("id", count)))


@cache
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "consumer_id": bindparam(f"consumer_{place}"),
            "provider_id": bindparam(f"provider_{place}"),
            "class_id": bindparam(f"class_{place}"),
            "amount": bindparam(f"amount_{place}"),
            "created_at": bindparam("now"),
        }
        for place in range(count)
    ]
    return insert(claims).values(rows)


@cache
def _add_to_used(count: int) -> Update:
    """UPDATE inventories SET used = used + CASE WHEN <first place> THEN <its change> … END WHERE <first place> OR …"""
    places = [
        and_(
            inventories.c.provider_id == bindparam(f"provider_{place}"),
            inventories.c.class_id == bindparam(f"class_{place}"),
        )
        for place in range(count)
    ]
    amounts = [bindparam(f"change_{place}", type_=BigInteger()) for place in range(count)]
    change = case(*zip(places, amounts, strict=True))
    return update(inventories).where(or_(*places)).values(used=inventories.c.used + change)
