"""Keyset pagination: order by a sort key, then by id, and continue after the marker; no row is skipped or repeated."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Table, and_, bindparam, case, or_, select
from sqlalchemy.sql.selectable import Select

PAGE_BYTES_MAX = 2 * 1024 * 1024
"""The text in the rows of one page; a page ends early at this size."""
PIECE_ROWS = 200
"""Rows with large columns are read in pieces of this many, so that no more than one piece is read in vain."""

Row = dict[str, Any]
Entry = TypeVar("Entry")
Other = TypeVar("Other")

NONE, NULL, VALUE = "none", "null", "value"
"""Kinds of marker: no marker, a marker whose sort value is NULL, a marker with a sort value."""


class Page(list[Entry]):
    """The entries of a page. ``cut`` is True when its size ended it, and not its limit or the end of the list."""

    cut = False

    def map(self, convert: Callable[[Entry], Other]) -> "Page[Other]":
        """Return a page of converted entries."""
        page = Page(convert(entry) for entry in self)
        page.cut = self.cut
        return page


def text_size(row: Row) -> int:
    """Return the number of characters in a row."""
    return sum(len(value) for value in row.values() if isinstance(value, str))


def marker_by(sort_key: str) -> Callable[[Row], Row]:
    """Return the function that makes a marker of a row."""
    return lambda row: {"id": row["id"], "sort_value": row[sort_key]}


def read_page(
    read: Callable[[Row | None, int], list[Entry]],
    marker: Row | None,
    limit: int,
    marker_of: Callable[[Entry], Row],
    *,
    piece: int = PIECE_ROWS,
    size_of: Callable[[Any], int] = text_size,
) -> Page[Entry]:
    """Read a page in pieces until its limit or PAGE_BYTES_MAX. ``read`` takes a marker and a number of rows."""
    page: Page[Entry] = Page()
    size = 0
    while len(page) < limit:
        wanted = min(piece, limit - len(page))
        rows = read(marker, wanted)
        for row in rows:
            page.append(row)
            size += size_of(row)
            if size >= PAGE_BYTES_MAX:
                page.cut = True
                return page
        if len(rows) < wanted:
            break
        marker = marker_of(page[-1])
    return page


def select_marker(table: Table, sort_key: str) -> Select[Any]:
    """Select the id and the sort value of the marker's row."""
    return select(table.c.id, table.c[sort_key].label("sort_value")).where(table.c.uuid == bindparam("marker"))


def marker_values(row: dict[str, Any] | None, sort_key: str) -> tuple[str, dict[str, Any]]:
    """Return the kind of a marker and its parameters."""
    if row is None:
        return NONE, {}
    if sort_key == "id":
        return VALUE, {"marker_id": row["id"]}
    if row["sort_value"] is None:
        return NULL, {"marker_id": row["id"]}
    return VALUE, {"marker_id": row["id"], "marker_value": row["sort_value"]}


def in_order(statement: Select[Any], table: Table, sort_key: str, *, descending: bool, marker: str) -> Select[Any]:
    """Return the statement with order, limit (``page_limit``) and only rows after the marker."""
    if marker != NONE:
        statement = statement.where(_behind(table, sort_key, descending=descending, marker=marker))
    return statement.order_by(*_order(table, sort_key, descending=descending)).limit(bindparam("page_limit"))


def _order(table: Table, sort_key: str, *, descending: bool) -> list[ColumnElement[Any]]:
    keys: list[ColumnElement[Any]] = [table.c.id]
    if sort_key != "id":
        keys.insert(0, table.c[sort_key])
        if table.c[sort_key].nullable:
            # Engines differ in the position of NULL; this puts it first on each.
            keys.insert(0, case((table.c[sort_key].is_(None), 0), else_=1))
    return [key.desc() for key in keys] if descending else keys


def _behind(table: Table, sort_key: str, *, descending: bool, marker: str) -> ColumnElement[bool]:
    marker_id: Any = bindparam("marker_id")
    later_id: ColumnElement[bool] = table.c.id < marker_id if descending else table.c.id > marker_id
    if sort_key == "id":
        return later_id
    column = table.c[sort_key]
    if marker == NULL:
        among_nulls = and_(column.is_(None), later_id)
        return among_nulls if descending else or_(column.is_not(None), among_nulls)
    value: Any = bindparam("marker_value")
    later = or_(column < value if descending else column > value, and_(column == value, later_id))
    return or_(later, column.is_(None)) if descending else later
