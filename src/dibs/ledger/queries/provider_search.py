"""Lists of providers: every filter that a list may have, in one statement.

As with nodes, a statement is built once for each *shape* of question (how many traits, aggregates and classes, not
which) and kept; the values travel as parameters.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Select, Table, and_, bindparam, select

from dibs.database.transaction import Transaction
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.providers import Provider, ProviderQuery
from dibs.ledger.queries.providers import SELECT
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers

_NEVER = -1
"""The row number of a class that no provider can have."""


class Names(NamedTuple):
    """All of a criterion but its names: how many each choice has, and how many are forbidden."""

    choices: tuple[int, ...]
    forbidden: int


class Shape(NamedTuple):
    """All of a question but its values."""

    fields: tuple[str, ...]
    in_tree: bool
    traits: Names
    aggregates: Names
    resources: int


def search(tx: Transaction, query: ProviderQuery, class_ids: Mapping[str, int]) -> list[Provider]:
    """The providers of which all of this holds, oldest first; ``class_ids`` has the classes that were ever used."""
    fields = {name: value for name in ("name", "uuid") if (value := getattr(query, name)) is not None}
    values = {f"of_{name}": value for name, value in fields.items()} | {"tree_of": query.in_tree}
    traits = _template("trait", query.traits, values)
    aggregates = _template("aggregate", query.aggregates, values)
    for place, (name, amount) in enumerate(sorted(query.resources.items())):
        values |= {f"class_{place}": class_ids.get(name, _NEVER), f"amount_{place}": amount}
    shape = Shape(tuple(sorted(fields)), query.in_tree is not None, traits, aggregates, len(query.resources))
    return [Provider(**row) for row in tx.rows(_select(shape), values)]


def _template(kind: str, criteria: Criteria, values: dict[str, Any]) -> Names:
    """The shape of a criterion; its names go to ``values``."""
    for number, choice in enumerate(criteria.required):
        values |= {f"{kind}_{number}_{place}": name for place, name in enumerate(sorted(choice))}
    values |= {f"no_{kind}_{place}": name for place, name in enumerate(sorted(criteria.forbidden))}
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
    clauses += [_has_room(place) for place in range(shape.resources)]
    return SELECT.where(*clauses).order_by(providers.c.id)


def _clauses(kind: str, table: Table, names: Names) -> list[ColumnElement[bool]]:
    """One for each choice, and one for all that is forbidden."""
    choices = [[f"{kind}_{number}_{place}" for place in range(count)] for number, count in enumerate(names.choices)]
    clauses: list[ColumnElement[bool]] = [providers.c.id.in_(_having(kind, table, choice)) for choice in choices]
    if names.forbidden:
        forbidden = [f"no_{kind}_{place}" for place in range(names.forbidden)]
        clauses.append(providers.c.id.not_in(_having(kind, table, forbidden)))
    return clauses


def _having(kind: str, table: Table, parameters: list[str]) -> Select[Any]:
    return select(table.c.provider_id).where(table.c[kind].in_([bindparam(name) for name in parameters]))


def _has_room(place: int) -> ColumnElement[bool]:
    amount = bindparam(f"amount_{place}", type_=BigInteger())
    free = (inventories.c.total - inventories.c.reserved) * inventories.c.allocation_ratio
    fits = and_(
        inventories.c.class_id == bindparam(f"class_{place}"),
        inventories.c.used + amount <= free,
        inventories.c.min_unit <= amount,
        inventories.c.max_unit >= amount,
        amount % inventories.c.step_size == 0,
    )
    return providers.c.id.in_(select(inventories.c.provider_id).where(fits))
