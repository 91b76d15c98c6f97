"""What every table is made of: the conventions of ``store.tables``, as columns."""

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

_MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    # Names differ when their letters differ in case or they end in spaces, as on the other engines.
    "mariadb_collate": "utf8mb4_nopad_bin",
}


class LongText(Text):
    """Text without a limit: TEXT, but LONGTEXT on MariaDB, whose TEXT ends at 64 KiB."""


@compiles(LongText, "mysql", "mariadb")
def _mariadb_long_text(type_: LongText, compiler: Any, **options: Any) -> str:
    # A variant would need SQLAlchemy's MySQL dialect, which every server on another engine would import at start.
    return "LONGTEXT"


LONG_TEXT = LongText()
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column that is exactly INTEGER."""


def table(name: str, *parts: Column[Any] | Index | UniqueConstraint | CheckConstraint) -> Table:
    """A table with the options that every one of ours has."""
    return Table(name, metadata, *parts, **_MARIADB_OPTIONS)


def row_id() -> Column[int]:
    """The number that other rows refer to."""
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


def uuid(name: str = "uuid", *, nullable: bool = False) -> Column[str]:
    """The name that callers know."""
    return Column(name, String(36), nullable=nullable)


def text(name: str, length: int = 255) -> Column[str]:
    """A short text, or none."""
    return Column(name, String(length), nullable=True)


def long_text(name: str) -> Column[str]:
    """A text of any length, or none."""
    return Column(name, LONG_TEXT, nullable=True)


def json(name: str, empty: str = "{}") -> Column[str]:
    """A structured value."""
    # MariaDB keeps defaults of TEXT columns too (10.2 and later), so every writer may leave the column out.
    return Column(name, LONG_TEXT, nullable=False, server_default=empty)


def truth(name: str) -> Column[int]:
    """Yes or no; no unless said otherwise."""
    return Column(name, SmallInteger, nullable=False, server_default="0")


def time(name: str, *, nullable: bool = True) -> Column[int]:
    """A moment, or none."""
    return Column(name, BigInteger, nullable=nullable)


def owned_by(name: str, target: str, *, primary_key: bool = False) -> Column[int]:
    """A reference whose row goes when what it refers to goes."""
    return Column(
        name,
        ROW_ID,
        ForeignKey(target, ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )
