"""Whether this code can use the schema of a database, answered without Alembic.

During a rolling upgrade the schema is newer than the code of the processes that are not replaced yet. The schema says
which code can use it: ``schema_compatibility`` has the oldest revision, and the revision of code is its last migration.

Importing Alembic costs as much as the rest of a start on a database that is up to date, so only ``migrate`` does it.
"""

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, MetaData, column, create_engine, inspect, select, table
from sqlalchemy.exc import DBAPIError

from dibs.database.engines import engine_for
from dibs.database.errors import StoreUnavailable
from dibs.database.migrations import versions
from dibs.database.schema import COMPATIBILITY

VERSION_TABLE = "alembic_version"

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}


def newest() -> str:
    """Return the revision of this code: the number in the name of its last migration."""
    return max(module.name[1:5] for module in pkgutil.iter_modules(versions.__path__))


def current(url: str) -> str | None:
    """Return the revision of the database; None when it has no schema yet."""
    if not engine_for(url).exists():
        return None
    with connected(url) as connection:
        return current_on(connection)


def is_outdated(url: str) -> bool:
    """Return True when migrations are missing, False when the schema fits or is newer than this code."""
    found = current(url)
    return found is None or found < newest()


def problems(url: str, metadata: MetaData) -> list[str]:
    """Return everything that keeps this code from starting on the database; empty when it fits.

    ``metadata`` describes the tables of every package. Only their columns are looked for here, which finds a schema
    that was changed by hand at the cost of one small query per table; ``migrate.problems`` compares everything.
    """
    engine = engine_for(url)
    if not engine.exists():
        return [f"The database file {engine.url.database} does not exist. Run `dibs db upgrade`, or `dibs serve`."]
    with connected(url) as connection:
        found = engine.problems(connection.connection.dbapi_connection)
        wrong_revision = revision_problem(connection)
        if wrong_revision:
            return [*found, wrong_revision]
        return [*found, *_missing_columns(connection, metadata)]


@contextmanager
def connected(url: str, *, upgrading: bool = False) -> Iterator[Connection]:
    """Open a SQLAlchemy connection with the settings of the store's own, or with those of an upgrade."""
    engine = engine_for(url)
    alchemy = create_engine(
        engine.url.set(drivername=_DRIVERS[engine.name]),
        creator=lambda: engine.connect(writing=True, upgrading=upgrading),
    )
    try:
        with alchemy.connect() as connection:
            yield connection
    except Exception as error:
        cause = getattr(error, "orig", None) or error
        if engine.unavailable(cause):
            raise StoreUnavailable() from error
        raise
    finally:
        alchemy.dispose()


def current_on(connection: Connection) -> str | None:
    """Return the revision of a connected database; None when it has no schema yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(select(column("version_num")).select_from(table(VERSION_TABLE)))


def revision_problem(connection: Connection) -> str | None:
    """Return why this code cannot use the schema, by its revision; None when it can."""
    found, wanted = current_on(connection), newest()
    if found is None:
        return "The database has no schema. Run `dibs db upgrade`."
    if found < wanted:
        return f"The database schema has revision {found}; this Dibs needs {wanted}. Run `dibs db upgrade`."
    if found == wanted:
        return None
    oldest = connection.scalar(select(COMPATIBILITY.c.oldest_revision)) or found
    if wanted >= oldest:
        return None
    return (
        f"The database schema has revision {found}, for Dibs with revision {oldest} or later; this Dibs has {wanted}."
        " Install a later release of Dibs."
    )


def _missing_columns(connection: Connection, metadata: MetaData) -> list[str]:
    """Return the first table that cannot be read; a failed statement ends the transaction, so there is no second."""
    quote = connection.dialect.identifier_preparer.quote
    for described in metadata.tables.values():
        columns = ", ".join(quote(each.name) for each in described.columns)
        try:
            # As text: compiling these statements would be a twentieth of the CPU time of a start.
            connection.exec_driver_sql(f"SELECT {columns} FROM {quote(described.name)} WHERE 1 = 0")  # noqa: S608
        except DBAPIError as error:
            return [f"The table {described.name} differs from the code: {error.orig}. See `dibs db check`."]
    return []
