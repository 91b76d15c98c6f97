"""Statements about many rows at once.

A statement that takes N values has N parameters, so there is one statement for each N. They are built once and kept;
and N is bounded by working through larger sets in pieces, so that the number of statements of a request does not grow
with the number of rows until that is large.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import BindParameter, ColumnElement, bindparam, case
from sqlalchemy.types import TypeEngine

Item = TypeVar("Item")

PIECE_MAX = 400


def pieces(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items in pieces that fit into one statement."""
    for start in range(0, len(items), PIECE_MAX):
        yield items[start : start + PIECE_MAX]


def binds(prefix: str, count: int, kind: TypeEngine[Any] | None = None) -> list[BindParameter[Any]]:
    """Parameters ``prefix_0`` to ``prefix_<count - 1>``."""
    return [bindparam(f"{prefix}_{place}", type_=kind) for place in range(count)]


def numbered(prefix: str, values: Sequence[Any]) -> dict[str, Any]:
    """The values for such parameters."""
    return {f"{prefix}_{place}": value for place, value in enumerate(values)}


def by_key(key: ColumnElement[Any], keys: str, values: str, count: int, kind: TypeEngine[Any]) -> ColumnElement[Any]:
    """The value that belongs to a row's key: CASE key WHEN :keys_0 THEN :values_0 …"""
    pairs = zip(binds(keys, count, key.type), binds(values, count, kind), strict=True)
    return case(*((key == wanted, value) for wanted, value in pairs))


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The values of several rows for one multi-row statement: ``<column>_<row>``."""
    return {f"{name}_{place}": value for place, row in enumerate(rows) for name, value in row.items()}
