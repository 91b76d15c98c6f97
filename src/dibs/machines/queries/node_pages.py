"""Pages of nodes: every filter, order and column of a list in one statement, or in two with traits.

A statement is built once for each *shape* of query (the kinds of its conditions, without their values) and cached; the
values are parameters.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple, assert_never

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Select, Text, and_, bindparam, case, exists, false, func, not_, or_, select

from dibs.access.access import EVERY_PROJECT
from dibs.database import paging
from dibs.database.sets import Among, listed
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import provider_traits
from dibs.machines.model.node_query import (
    Condition,
    Contains,
    Equals,
    Held,
    NodeCount,
    NodePage,
    NodeQuery,
    OfConductor,
    OfProjects,
    OneOf,
    Present,
    Traits,
)
from dibs.machines.model.states import AVAILABLE
from dibs.machines.queries.nodes import COLUMNS
from dibs.machines.tables import conductors, holds, nodes

_LONG_TEXTS = frozenset(column.name for column in nodes.c if isinstance(column.type, Text))
_OTHER_COLUMNS_BYTES = 1_000
_TRAITS = Among(
    select(provider_traits.c.provider_id, provider_traits.c.trait), provider_traits.c.provider_id, "providers"
)


class Shape(NamedTuple):
    """A query without its values."""

    columns: frozenset[str]
    conditions: tuple[Condition, ...]
    sort_key: str
    descending: bool
    marker: str
    """The kind of marker, from ``paging``."""


def page(tx: Transaction, query: NodeQuery) -> NodePage | None:
    """Return one page of nodes; None when the marker does not exist."""
    marker = _marker(tx, query)
    if query.marker is not None and marker is None:
        return None
    names = _names(query.columns, query.sort_key)
    id_place, key_place = names.index("id"), names.index(query.sort_key)
    texts = [names.index(name) for name in query.columns & _LONG_TEXTS]

    def read(after: Row | None, count: int) -> list[tuple[Any, ...]]:
        shape, values = _shape(query, after, count)
        return tx.tuples(_select(shape), values)

    rows = paging.read_page(
        read,
        marker,
        query.limit,
        lambda row: {"id": row[id_place], "sort_value": row[key_place]},
        piece=paging.PIECE_ROWS if query.columns & COLUMNS.structures else query.limit,
        size_of=lambda row: _size(row, texts),
    )
    stored = zip(*rows, strict=True) if rows else repeat((), len(names))
    columns = {name: COLUMNS.decode_column(name, values, tx.vault) for name, values in zip(names, stored, strict=True)}
    if "traits" in query.columns:
        columns["traits"] = _traits(tx, columns["id"])
    return NodePage(columns, rows.cut)


def counts(tx: Transaction, query: NodeQuery) -> list[NodeCount]:
    """Return the number of nodes for each value of the sort key, in the order of the pages."""
    shape, values = _shape(query, None, 0)
    del values["page_limit"]
    rows = tx.tuples(_select_counts(shape._replace(columns=frozenset())), values)
    return [NodeCount(value=value, total=total, available=int(available)) for value, total, available in rows]


def _size(row: tuple[Any, ...], texts: Sequence[int]) -> int:
    """Return the size of a row, measured by its long texts only: a node has eighty columns."""
    return _OTHER_COLUMNS_BYTES + sum([len(text) for place in texts if (text := row[place])])


def _traits(tx: Transaction, node_ids: Sequence[int]) -> list[list[str]]:
    """Return the traits of each node in alphabetical order."""
    found: dict[int, list[str]] = {node_id: [] for node_id in node_ids}
    for provider_id, trait in tx.tuples(_TRAITS, {"providers": listed(node_ids)}):
        found[provider_id].append(trait)
    for traits in found.values():
        traits.sort()
    return list(found.values())


def _marker(tx: Transaction, query: NodeQuery) -> Row | None:
    if query.marker is None:
        return None
    return tx.row(_select_marker(query.sort_key), {"marker": query.marker})


def _shape(query: NodeQuery, marker: Row | None, count: int) -> tuple[Shape, dict[str, Any]]:
    kind, values = paging.marker_values(marker, query.sort_key)
    values["page_limit"] = count
    templates = []
    conditions = query.conditions
    if query.projects is not EVERY_PROJECT:
        conditions = (*conditions, OfProjects(tuple(sorted(query.projects))))
    for number, condition in enumerate(conditions):
        template, parameters = _template(condition)
        templates.append(template)
        values |= {f"c{number}_{place}": parameter for place, parameter in enumerate(parameters)}
    return Shape(query.columns, tuple(templates), query.sort_key, query.descending, kind), values


def _template(condition: Condition) -> tuple[Condition, tuple[Any, ...]]:
    """Return the condition without its values, and its values."""
    match condition:
        case Equals(field=field, value=None):
            return Present(field, False), ()
        case Present() | Held():
            return condition, ()
        case Equals(value=bool() as value):
            return replace(condition, value=""), (int(value),)
        case Equals(value=value):
            return replace(condition, value=""), (value,)
        case OneOf(values=values):
            return replace(condition, values=("",) * len(values)), values
        case Contains(text=text):
            escaped = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            return replace(condition, text=""), (f"%{escaped}%",)
        case OfProjects(projects=projects):
            return OfProjects(("",) * len(projects)), projects
        case OfConductor(hostname=hostname):
            return OfConductor(""), (hostname,)
        case Traits(names=names):
            return replace(condition, names=("",) * len(names)), names
        case _:
            assert_never(condition)


@lru_cache(maxsize=1_000)
def _names(columns: frozenset[str], sort_key: str) -> tuple[str, ...]:
    """Return the names of the columns that the statement of a page selects."""
    return tuple(sorted((columns | {"id", "uuid", sort_key}) - {"traits", "allocation"}))


@lru_cache(maxsize=1_000)
def _select(shape: Shape) -> Select[Any]:
    """Return the statement for one shape of query."""
    names = _names(shape.columns, shape.sort_key)
    columns = [conductors.c.hostname if name == "conductor" else nodes.c[name] for name in names]
    statement = select(*columns).where(*(_clause(n, condition) for n, condition in enumerate(shape.conditions)))
    if "conductor" in names:
        statement = statement.outerjoin_from(nodes, conductors, conductors.c.id == nodes.c.conductor_id)
    return paging.in_order(statement, nodes, shape.sort_key, descending=shape.descending, marker=shape.marker)


@lru_cache(maxsize=100)
def _select_counts(shape: Shape) -> Select[Any]:
    value = nodes.c[shape.sort_key]
    is_available = and_(
        nodes.c.provision_state == AVAILABLE,
        nodes.c.maintenance == 0,
        nodes.c.retired == 0,
        nodes.c.instance_uuid.is_(None),
    )
    available = func.coalesce(func.sum(case((is_available, 1), else_=0)), 0)
    return (
        select(value.label("value"), func.count().label("total"), available.label("available"))
        .where(*(_clause(n, condition) for n, condition in enumerate(shape.conditions)))
        .group_by(value)
        .order_by(case((value.is_(None), 0), else_=1), value)
    )


@lru_cache(maxsize=100)
def _select_marker(sort_key: str) -> Select[Any]:
    return paging.select_marker(nodes, sort_key)


def _clause(number: int, condition: Condition) -> ColumnElement[bool]:
    match condition:
        case Equals(field=field):
            return nodes.c[field] == bindparam(f"c{number}_0")
        case OneOf(field=field, values=values):
            return _one_of(field, number, len(values))
        case Present(field=field, present=present):
            return nodes.c[field].is_not(None) if present else nodes.c[field].is_(None)
        case Contains(field=field):
            return func.lower(nodes.c[field]).like(bindparam(f"c{number}_0"), escape="\\")
        case OfProjects(projects=projects):
            return or_(_one_of("owner", number, len(projects)), _one_of("lessee", number, len(projects)))
        case OfConductor():
            named = select(conductors.c.id).where(conductors.c.hostname == bindparam(f"c{number}_0"))
            return nodes.c.conductor_id == named.scalar_subquery()
        case Held(held=held):
            some = exists().where(holds.c.node_id == nodes.c.id)
            return some if held else not_(some)
        case Traits(names=names, any_of=any_of, negated=negated):
            has = [_has_trait(f"c{number}_{place}") for place in range(len(names))]
            clause = or_(*has) if any_of else and_(*has)
            return not_(clause) if negated else clause
        case _:
            assert_never(condition)


def _one_of(field: str, number: int, count: int) -> ColumnElement[bool]:
    return nodes.c[field].in_([bindparam(f"c{number}_{place}") for place in range(count)]) if count else false()


def _has_trait(parameter: str) -> ColumnElement[bool]:
    return exists().where(provider_traits.c.provider_id == nodes.c.id, provider_traits.c.trait == bindparam(parameter))
