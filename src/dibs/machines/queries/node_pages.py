"""Pages of nodes: every filter, order and column of a list in one statement, or in two with traits.

A statement is built once for each *shape* of query (the kinds of its conditions, without their values) and cached; the
values are parameters. A second statement, with the page as inner table, reads the traits of the page:

    SELECT t.provider_id, t.trait
      FROM provider_traits AS t
      JOIN (SELECT id FROM nodes WHERE … ORDER BY … LIMIT …) AS page ON t.provider_id = page.id
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, assert_never

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Select, Text, and_, bindparam, case, exists, false, func, not_, or_, select

from dibs.access.access import EVERY_PROJECT
from dibs.database import paging
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import provider_traits
from dibs.machines.model.node_query import (
    Condition,
    Contains,
    Equals,
    Held,
    NodeCount,
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
BEYOND = ("traits", "conductor", "allocation")
"""Columns that are not in the table of nodes."""


class Shape(NamedTuple):
    """A query without its values."""

    columns: frozenset[str]
    conditions: tuple[Condition, ...]
    sort_key: str
    descending: bool
    marker: str
    """The kind of marker, from ``paging``."""


def page(tx: Transaction, query: NodeQuery) -> paging.Page[Row] | None:
    """Return one page of nodes as rows; None when the marker does not exist."""
    marker = _marker(tx, query)
    if query.marker is not None and marker is None:
        return None

    def read(after: Row | None, count: int) -> list[Row]:
        shape, values = _shape(query, after, count)
        rows = tx.rows(_select(shape), values)
        if "traits" in query.columns:
            _add_traits(tx, rows, shape, values)
        return rows

    piece = paging.PIECE_ROWS if query.columns & COLUMNS.structures else query.limit
    texts = sorted(query.columns & _LONG_TEXTS)
    rows = paging.read_page(
        read, marker, query.sort_key, query.limit, piece=piece, size_of=lambda row: _size(row, texts)
    )
    for column in query.columns:
        if (decoder := COLUMNS.decoder(column, tx.vault)) is not None:
            for row in rows:
                row[column] = decoder(row[column])
    return rows


def counts(tx: Transaction, query: NodeQuery) -> list[NodeCount]:
    """Return the number of nodes for each value of the sort key, in the order of the pages."""
    shape, values = _shape(query, None, 0)
    del values["page_limit"]
    rows = tx.tuples(_select_counts(shape._replace(columns=frozenset())), values)
    return [NodeCount(value=value, total=total, available=int(available)) for value, total, available in rows]


def _size(row: Row, texts: Sequence[str]) -> int:
    """Return the size of a row, measured by its long texts only: a node has eighty columns."""
    return _OTHER_COLUMNS_BYTES + sum(map(len, filter(None, map(row.__getitem__, texts))))


def _add_traits(tx: Transaction, rows: list[Row], shape: Shape, values: dict[str, Any]) -> None:
    traits: dict[int, list[str]] = defaultdict(list)
    for provider_id, trait in tx.tuples(_select_traits(shape._replace(columns=frozenset())), values):
        traits[provider_id].append(trait)
    for row in rows:
        row["traits"] = traits[row["id"]]


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
def _select(shape: Shape) -> Select[Any]:
    """Return the statement for one shape of query."""
    columns = [nodes.c[name] for name in sorted((shape.columns | {"id", "uuid", shape.sort_key}) - set(BEYOND))]
    statement = select(*columns).where(*(_clause(n, condition) for n, condition in enumerate(shape.conditions)))
    if "conductor" in shape.columns:
        statement = statement.add_columns(conductors.c.hostname.label("conductor")).outerjoin_from(
            nodes, conductors, conductors.c.id == nodes.c.conductor_id
        )
    return paging.in_order(statement, nodes, shape.sort_key, descending=shape.descending, marker=shape.marker)


@lru_cache(maxsize=1_000)
def _select_traits(shape: Shape) -> Select[Any]:
    inner = _select(shape).subquery("page")
    return (
        select(provider_traits.c.provider_id, provider_traits.c.trait)
        .join(inner, inner.c.id == provider_traits.c.provider_id)
        .order_by(provider_traits.c.provider_id, provider_traits.c.trait)
    )


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
