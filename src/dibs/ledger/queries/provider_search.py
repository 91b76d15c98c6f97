"""Lists of providers: all filters of a list in one statement.

A statement is built once for each *shape* of query (how many traits, aggregates and classes, not which) and cached; the
values are parameters.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Select, Table, and_, bindparam, func, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.providers import ListedProvider, ProviderQuery
from dibs.ledger.queries.providers import PARENT, ROOT_ABOVE
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers

_LISTED = select(
    *(providers.c[name] for name in ("uuid", "name", "generation")),
    PARENT,
    ROOT_ABOVE,
    func.coalesce(providers.c.updated_at, providers.c.created_at),
)

_NEVER = -1
"""The row id that stands for a class without a row: no provider can have it."""


class Names(NamedTuple):
    """The shape of criteria: the size of each required choice, and the number of forbidden names."""

    choices: tuple[int, ...]
    forbidden: int


class Shape(NamedTuple):
    """The shape of a query: everything but its values."""

    fields: tuple[str, ...]
    in_tree: bool
    traits: Names
    aggregates: Names
    resources: int


def search(tx: Transaction, query: ProviderQuery, class_ids: Mapping[str, int]) -> list[ListedProvider]:
    """Return the providers that match the query, oldest first; ``class_ids`` has the classes that have a row."""
    fields = {name: value for name in ("name", "uuid") if (value := getattr(query, name)) is not None}
    values = {f"of_{name}": value for name, value in fields.items()} | {"tree_of": query.in_tree}
    traits = _template("trait", query.traits, values)
    aggregates = _template("aggregate", query.aggregates, values)
    for number, (name, amount) in enumerate(sorted(query.resources.items())):
        values |= {f"class_{number}": class_ids.get(name, _NEVER), f"amount_{number}": amount}
    shape = Shape(tuple(sorted(fields)), query.in_tree is not None, traits, aggregates, len(query.resources))
    return tx.tuples(_select(shape), values)


def _template(kind: str, criteria: Criteria, values: dict[str, Any]) -> Names:
    """Return the shape of criteria and add their names to ``values``."""
    for number, choice in enumerate(criteria.required):
        values |= sets.numbered(f"{kind}_{number}", sorted(choice))
    values |= sets.numbered(f"no_{kind}", sorted(criteria.forbidden))
    return Names(tuple(len(choice) for choice in criteria.required), len(criteria.forbidden))


@lru_cache(maxsize=1_000)
def _select(shape: Shape) -> Select[Any]:
    clauses: list[ColumnElement[bool]] = [providers.c[name] == bindparam(f"of_{name}") for name in shape.fields]
    if shape.in_tree:
        named = providers.alias("named")
        root = select(named.c.root_id).where(named.c.uuid == bindparam("tree_of")).scalar_subquery()
        clauses.append(providers.c.root_id == root)
    clauses += _clauses("trait", provider_traits, shape.traits)
    clauses += _clauses("aggregate", provider_aggregates, shape.aggregates)
    clauses += [_has_room(number) for number in range(shape.resources)]
    return _LISTED.where(*clauses).order_by(providers.c.id)


def _clauses(kind: str, table: Table, names: Names) -> list[ColumnElement[bool]]:
    """Return one clause for each required choice, and one for all forbidden names."""
    clauses: list[ColumnElement[bool]] = [
        providers.c.id.in_(_having(kind, table, f"{kind}_{number}", count))
        for number, count in enumerate(names.choices)
    ]
    if names.forbidden:
        clauses.append(providers.c.id.not_in(_having(kind, table, f"no_{kind}", names.forbidden)))
    return clauses


def _having(column: str, table: Table, prefix: str, count: int) -> Select[Any]:
    return select(table.c.provider_id).where(table.c[column].in_(sets.binds(prefix, count)))


def _has_room(number: int) -> ColumnElement[bool]:
    amount = bindparam(f"amount_{number}", type_=BigInteger())
    capacity = (inventories.c.total - inventories.c.reserved) * inventories.c.allocation_ratio
    fits = and_(
        inventories.c.class_id == bindparam(f"class_{number}"),
        inventories.c.used + amount <= capacity,
        inventories.c.min_unit <= amount,
        inventories.c.max_unit >= amount,
        amount % inventories.c.step_size == 0,
    )
    return providers.c.id.in_(select(inventories.c.provider_id).where(fits))
