"""Statements for many rows.

A statement with N values has N parameters, so each N has its own statement. ``cached`` keeps those that were used last.
Larger sets are split into pieces of at most PIECE_MAX. For row ids there is ``Among``: one statement with one parameter
for any number of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar, cast

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Select,
    String,
    TextClause,
    bindparam,
    case,
    func,
    literal_column,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

Item = TypeVar("Item")
Arguments = ParamSpec("Arguments")

PIECE_MAX = 400
CACHED_MAX = 64
"""Statements that a function keeps: of 400 parameters and several columns, one takes more than a megabyte."""


def cached(build: Callable[Arguments, Item]) -> Callable[Arguments, Item]:
    """Keep the statements that a function built last, each by its arguments."""
    return cast(Callable[Arguments, Item], lru_cache(maxsize=CACHED_MAX)(build))


def pieces(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield the items in pieces that fit into one statement."""
    for start in range(0, len(items), PIECE_MAX):
        yield items[start : start + PIECE_MAX]


def binds(prefix: str, count: int, kind: TypeEngine[Any] | None = None) -> list[BindParameter[Any]]:
    """Return the parameters ``prefix_0`` to ``prefix_<count - 1>``."""
    return [bindparam(f"{prefix}_{place}", type_=kind) for place in range(count)]


def numbered(prefix: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the values for these parameters."""
    return {f"{prefix}_{place}": value for place, value in enumerate(values)}


def padded(items: Iterable[Item]) -> list[Item]:
    """Return the items with the last one repeated up to a power of two.

    A statement for which repeated values make no difference is then compiled for a few lengths only.
    """
    found = list(items)
    return found + found[-1:] * ((1 << (len(found) - 1).bit_length()) - len(found))


def by_key(key: ColumnElement[Any], keys: str, values: str, count: int, kind: TypeEngine[Any]) -> ColumnElement[Any]:
    """Return an expression for the value of a row's key: CASE key WHEN :keys_0 THEN :values_0 …"""
    pairs = zip(binds(keys, count, key.type), binds(values, count, kind), strict=True)
    return case(*((key == wanted, value) for wanted, value in pairs))


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters ``<column>_<row>`` for a multi-row statement."""
    return {f"{name}_{place}": value for place, row in enumerate(rows) for name, value in row.items()}


class Among(Executable, ClauseElement):
    """A statement on one table, limited to the rows whose key, a row id, is in the list of a parameter.

    Every engine takes one id of the list after the other and looks it up in an index of the key, however long the list
    is and whatever the statistics say. MariaDB is told the order of the join. PostgreSQL would scan the whole table
    when it has no statistics; OFFSET keeps it from turning the look-up into such a join.
    """

    inherit_cache = False

    def __init__(self, statement: Select[Any], key: ColumnElement[Any], parameter: str) -> None:
        listing = _Listing(parameter)
        one = statement.where(key == literal_column("listed.id", BigInteger()))
        self.joined = one.select_from(listing).prefix_with("STRAIGHT_JOIN", dialect="mariadb")
        found = one.order_by(None).offset(literal_column("0")).lateral("found")
        order = [found.c[column.name] for column in statement._order_by_clauses]
        self.looked_up = select(*found.c).select_from(listing).order_by(*order)


@compiles(Among)
def _joined(among: Among, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(among.joined, **options)


@compiles(Among, "postgresql")
def _looked_up(among: Among, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(among.looked_up, **options)


class LockedInOrder(ColumnElement[bool]):
    """The condition of an UPDATE of the rows with these keys, which locks them in the order of the keys.

    Two transactions that lock the same rows in different orders deadlock. SQLite has one writer, and MariaDB reads rows
    by primary key, so their UPDATE is in order. That of PostgreSQL locks rows in the order in which it happens to read
    them, so it locks them before, in the same statement.
    """

    inherit_cache = False

    def __init__(self, key: ColumnElement[Any], keys: Sequence[BindParameter[Any]]) -> None:
        self.among = key.in_(keys)
        # As an UPDATE that changes no key: foreign keys may refer to the rows meanwhile.
        rows = select(key).where(self.among).order_by(key).with_for_update(key_share=True).correlate(None)
        self.locked = key == func.any(func.array(rows.scalar_subquery()))


@compiles(LockedInOrder)
def _among(condition: LockedInOrder, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(condition.among, **options)


@compiles(LockedInOrder, "postgresql")
def _locked(condition: LockedInOrder, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(condition.locked, **options)


def listed(ids: Iterable[int]) -> str:
    """Return the value of that parameter for different ids: a JSON list."""
    return f"[{','.join(map(str, ids))}]"


class _Listing(TextClause):
    """The ids of a JSON list as a table with the name ``listed`` and the column ``id``."""

    inherit_cache = False

    def __init__(self, parameter: str) -> None:
        super().__init__("")
        self.ids = bindparam(parameter, type_=String())


@compiles(_Listing)
def _sqlite_listing(listing: _Listing, compiler: SQLCompiler, **options: Any) -> str:
    return f"(SELECT value AS id FROM json_each({compiler.process(listing.ids)})) AS listed"  # noqa: S608


@compiles(_Listing, "postgresql")
def _postgresql_listing(listing: _Listing, compiler: SQLCompiler, **options: Any) -> str:
    ids = f"CAST(translate({compiler.process(listing.ids)}, '[]', '{{}}') AS BIGINT[])"
    return f"unnest({ids}) AS listed (id)"


@compiles(_Listing, "mariadb")
def _mariadb_listing(listing: _Listing, compiler: SQLCompiler, **options: Any) -> str:
    return f"JSON_TABLE({compiler.process(listing.ids)}, '$[*]' COLUMNS (id BIGINT PATH '$')) AS listed"
