"""Laws of the stored rows, verified page by page on a live database.

A page is a range of row ids. Each page is one read transaction, so that it sees a consistent state while clients go on
writing, and no statement runs for long, whatever the size of the tables.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from sqlalchemy import Column, ColumnElement, bindparam, func, select

from dibs.database.store import Store
from dibs.database.transaction import Row, Transaction

PAGE_ROWS = 1_000

PageEnd = Callable[[Transaction, int, int], int | None]
"""Returns the last id of the page after an id, with at most a number of rows; None when no row is left."""


class Page(Struct, frozen=True):
    """A range of row ids, both ends included."""

    first: int
    last: int

    @property
    def binds(self) -> Row:
        """The parameters of statements with ``within``."""
        return {"first_id": self.first, "last_id": self.last}


class Law(Struct, frozen=True, kw_only=True):
    """A rule that the rows keep, whatever clients and conductors do and wherever a process is killed."""

    promise: str
    """The rule in one sentence."""
    remedy: str
    """What an operator does about a violation."""
    page_end: PageEnd
    violations: Callable[[Transaction, Page], Iterable[str]]
    """Describe each violation that concerns the rows of a page."""


def pages_of(row_id: Column[int]) -> PageEnd:
    """Return the function that divides a table into pages by its primary key."""
    page = select(row_id).where(row_id > bindparam("after")).order_by(row_id).limit(bindparam("rows")).subquery()
    statement = select(func.max(page.c[0]))

    def end(tx: Transaction, after: int, rows: int) -> int | None:
        last: int | None = tx.values(statement, {"after": after, "rows": rows})[0]
        return last

    return end


def within(row_id: Column[int]) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the page; ``Page.binds`` has its parameters."""
    return row_id.between(bindparam("first_id"), bindparam("last_id"))


def violations(store: Store, law: Law, page_rows: int = PAGE_ROWS) -> Iterator[list[str]]:
    """Yield the violations of each page, page by page."""
    after = 0
    while (checked := store.read(lambda tx: _check_page(tx, law, after, page_rows))) is not None:  # noqa: B023
        after, found = checked
        yield found


def _check_page(tx: Transaction, law: Law, after: int, page_rows: int) -> tuple[int, list[str]] | None:
    last = law.page_end(tx, after, page_rows)
    if last is None:
        return None
    return last, list(law.violations(tx, Page(after + 1, last)))
