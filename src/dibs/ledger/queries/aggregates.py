"""Aggregates: groups of providers, each named by a uuid that has no meaning to the ledger."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Delete, Insert, bindparam, delete, func, insert, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.queries import structure
from dibs.ledger.tables import provider_aggregates

_OF_PROVIDER = (
    select(
        provider_aggregates.c.aggregate,
        func.coalesce(provider_aggregates.c.written, provider_aggregates.c.aggregate),
    )
    .where(provider_aggregates.c.provider_id == bindparam("of_id"))
    .order_by(provider_aggregates.c.aggregate)
)


def of_provider(tx: Transaction, provider_id: int) -> dict[str, str]:
    """Return the aggregates of a provider in alphabetical order, each with the form in which the client wrote it."""
    return dict(tx.tuples(_OF_PROVIDER, {"of_id": provider_id}))


def add(tx: Transaction, provider_id: int, aggregates: Mapping[str, str]) -> None:
    """Add a provider to aggregates of which it is not a member yet, each with the form in which the client wrote it."""
    structure.changed(tx, [provider_id] if aggregates else [])
    for piece in sets.pieces(sorted(aggregates)):
        rows = [
            {"aggregate": aggregate, "written": None if aggregates[aggregate] == aggregate else aggregates[aggregate]}
            for aggregate in piece
        ]
        tx.change(_insert(len(piece)), {"of_id": provider_id, **sets.columns(rows)})


def remove(tx: Transaction, provider_id: int, aggregates: Sequence[str]) -> None:
    """Remove a provider from aggregates."""
    structure.changed(tx, [provider_id] if aggregates else [])
    for piece in sets.pieces(aggregates):
        tx.change(_delete(len(piece)), {"of_id": provider_id, **sets.numbered("aggregate", piece)})


@sets.cached
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "provider_id": bindparam("of_id"),
            "aggregate": bindparam(f"aggregate_{number}"),
            "written": bindparam(f"written_{number}"),
        }
        for number in range(count)
    ]
    return insert(provider_aggregates).values(rows)


@sets.cached
def _delete(count: int) -> Delete:
    return delete(provider_aggregates).where(
        provider_aggregates.c.provider_id == bindparam("of_id"),
        provider_aggregates.c.aggregate.in_(sets.binds("aggregate", count)),
    )
