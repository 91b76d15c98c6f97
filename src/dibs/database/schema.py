"""Columns and conventions of every table; each package declares its tables with these functions in ``tables.py``.

Conventions, the same on every engine:

- times are BIGINT: microseconds since 1970, UTC;
- truth values are SMALLINT: 0 or 1;
- JSON is TEXT, written and parsed by the queries: no engine's JSON functions are used;
- ``id`` is an internal number, for joins and locks; callers know rows by uuid or name;
- constraints and indexes are named by ``metadata``'s convention, which error handling relies on.

To change a table: change its ``tables.py``, write the next migration in ``migrations/versions`` (what the schema is on
every engine is decided there; options such as MariaDB's collation are only there), and run ``tests/database``, which
compares the two on every engine. A migration that is released never changes. The release before must be able to run on
the new schema: a migration adds, and what a release no longer uses is removed by a later one (ADR 0012).
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.ext.compiler import compiles

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""The tables of every package that is imported. ``dibs.wiring`` imports all, and passes it to comparisons."""


class LongText(Text):
    """Text without a limit: TEXT, but LONGTEXT on MariaDB, whose TEXT ends at 64 KiB."""


@compiles(LongText, "mysql", "mariadb")
def _mariadb_long_text(type_: LongText, compiler: Any, **options: Any) -> str:
    # A variant would import SQLAlchemy's MySQL dialect at every start on every engine.
    return "LONGTEXT"


ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column that is exactly INTEGER."""


def table(name: str, *parts: Column[Any] | Index | UniqueConstraint | CheckConstraint) -> Table:
    """Declare a table. MariaDB's options are in the migrations: here they would import its dialect at every start."""
    return Table(name, metadata, *parts)


def row_id() -> Column[int]:
    """Declare the number by which other rows refer to this one."""
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


def uuid(name: str = "uuid", *, nullable: bool = False) -> Column[str]:
    """Declare a uuid, which callers know."""
    return Column(name, String(36), nullable=nullable)


def text(name: str, length: int = 255) -> Column[str]:
    """Declare a nullable text with a limit."""
    return Column(name, String(length), nullable=True)


def long_text(name: str) -> Column[str]:
    """Declare a nullable text without a limit."""
    return Column(name, LongText(), nullable=True)


def json(name: str, empty: str = "{}") -> Column[str]:
    """Declare a JSON value in text; ``empty`` is the default."""
    # MariaDB has defaults for TEXT columns since 10.2, so writers may omit the column.
    return Column(name, LongText(), nullable=False, server_default=empty)


def truth(name: str) -> Column[int]:
    """Declare a truth value; the default is 0."""
    return Column(name, SmallInteger, nullable=False, server_default="0")


def time(name: str, *, nullable: bool = True) -> Column[int]:
    """Declare a time."""
    return Column(name, BigInteger, nullable=nullable)


def owned_by(name: str, target: str, *, primary_key: bool = False) -> Column[int]:
    """Declare a reference; the row is deleted with the row that it refers to."""
    return Column(
        name,
        ROW_ID,
        ForeignKey(target, ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


COMPATIBILITY = table("schema_compatibility", Column("oldest_revision", String(32), primary_key=True))
"""One row: the oldest revision of the code that can use this schema. Contracting migrations raise it."""

WRITE_PROBES = table("write_probes", Column("uuid", String(36), primary_key=True))
"""Always empty: each readiness check inserts a row and deletes it in the same transaction."""
