"""Statements for many rows.

A statement with N values has N parameters, so each N has its own statement. ``cached`` keeps those that were used last.
Larger sets are split into pieces of at most PIECE_MAX.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar, cast

from sqlalchemy import BindParameter, ColumnElement, bindparam, case
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


def by_key(key: ColumnElement[Any], keys: str, values: str, count: int, kind: TypeEngine[Any]) -> ColumnElement[Any]:
    """Return an expression for the value of a row's key: CASE key WHEN :keys_0 THEN :values_0 …"""
    pairs = zip(binds(keys, count, key.type), binds(values, count, kind), strict=True)
    return case(*((key == wanted, value) for wanted, value in pairs))


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters ``<column>_<row>`` for a multi-row statement."""
    return {f"{name}_{place}": value for place, row in enumerate(rows) for name, value in row.items()}
