"""Write the providers of a small world straight into the tables, for tests of code that only reads them."""

from functools import lru_cache
from typing import Any

from sqlalchemy import Insert, Table, bindparam, delete, insert, update

from dibs.database import Store, sets
from dibs.database.transaction import Transaction
from dibs.ledger.queries import structure
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers, resource_classes, traits
from tests.builders import FIRST_INSTANT
from tests.candidates.model.brute_force import World

PIECE_MAX = 500
FILLED = (inventories, provider_aggregates, provider_traits, providers, traits, resource_classes)


def put_world(store: Store, world: World) -> None:
    """Replace all providers by those of a world; the name of each is its uuid too."""
    store.write(lambda tx: _put(tx, world))


def _put(tx: Transaction, world: World) -> None:
    # MariaDB checks foreign keys row by row, and may delete a parent before its child.
    tx.change(update(providers).values(parent_id=None))
    for table in FILLED:
        tx.change(delete(table))
    ids = {name: number for number, name in enumerate(world.providers, start=1)}
    class_names = {name for provider in world.providers.values() for name in provider.stocks}
    class_ids = {name: number for number, name in enumerate(sorted(class_names), start=1)}
    known = {trait for provider in world.providers.values() for trait in provider.traits}
    _insert(tx, resource_classes, [{"id": number, "name": name} for name, number in class_ids.items()])
    _insert(tx, traits, [{"name": trait} for trait in sorted(known)])
    _insert(tx, providers, [_provider(world, name, ids) for name in world.providers])
    _insert(tx, inventories, _inventories(world, ids, class_ids))
    for table, column in ((provider_traits, "traits"), (provider_aggregates, "aggregates")):
        rows = [
            {"provider_id": ids[name], column.removesuffix("s"): value}
            for name, provider in world.providers.items()
            for value in getattr(provider, column)
        ]
        _insert(tx, table, rows)
    structure.changed_everywhere(tx)


def _provider(world: World, name: str, ids: dict[str, int]) -> dict[str, Any]:
    parent = world.providers[name].parent
    return {
        "id": ids[name],
        "uuid": name,
        "name": name,
        "parent_id": ids[parent] if parent else None,
        "root_id": ids[world.root(name)],
        "bucket": structure.bucket_of(name),
    }


def _inventories(world: World, ids: dict[str, int], class_ids: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "provider_id": ids[name],
            "class_id": class_ids[resource_class],
            "total": stock.total,
            "reserved": stock.reserved,
            "min_unit": stock.min_unit,
            "max_unit": stock.max_unit,
            "step_size": stock.step_size,
            "allocation_ratio": stock.ratio,
            "used": stock.used,
        }
        for name, provider in world.providers.items()
        for resource_class, stock in provider.stocks.items()
    ]


def _insert(tx: Transaction, table: Table, rows: list[dict[str, Any]]) -> None:
    made = {"created_at": FIRST_INSTANT} if "created_at" in table.c else {}
    for start in range(0, len(rows), PIECE_MAX):
        piece = [{**row, **made} for row in rows[start : start + PIECE_MAX]]
        tx.change(_statement(table, tuple(piece[0]), len(piece)), sets.columns(piece))


@lru_cache(maxsize=200)
def _statement(table: Table, names: tuple[str, ...], count: int) -> Insert:
    """Return an INSERT of many rows, which takes longer to compile than to run."""
    return insert(table).values([{name: bindparam(f"{name}_{n}") for name in names} for n in range(count)])
