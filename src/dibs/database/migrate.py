"""Bring a database to the schema that this code needs, and say how far it is from it."""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

from dibs.database.engines import Engine, engine_for
from dibs.database.errors import StoreUnavailable
from dibs.database.schema import metadata

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}


def upgrade(url: str) -> None:
    """Run every migration that the database lacks. Two processes that do so at once are safe: one waits."""
    # Alembic leaves a transaction that it finds alone: the lock holds from the first migration to the last.
    with _connected(url) as connection, connection.begin():
        engine_for(url).lock_schema(connection.connection.dbapi_connection)
        command.upgrade(_config(connection), "head")


def version(url: str) -> str | None:
    """The revision the database is at; None when it has no schema yet."""
    if not engine_for(url).exists():
        return None
    with _connected(url) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def problems(url: str) -> list[str]:
    """Everything that keeps this code from working with the database; empty when all is well."""
    if not engine_for(url).exists():
        return ["There is no such database file yet: run 'dibs db upgrade', or 'dibs serve', which makes it."]
    found = _server_problems(engine_for(url))
    with _connected(url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        current, wanted = context.get_current_revision(), newest()
        if current != wanted:
            return [
                *found,
                f"The schema is at {current or 'nothing'}, this code needs {wanted}: run 'dibs db upgrade'.",
            ]
        found += [
            f"The schema differs from the code: {difference}" for difference in compare_metadata(context, metadata)
        ]
    return found


def newest() -> str | None:
    """The revision that this code needs."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _server_problems(engine: Engine) -> list[str]:
    connection = engine.connect(writing=True)
    try:
        return engine.problems(connection)
    finally:
        connection.close()


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", "dibs.database:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    engine = engine_for(url)
    # Connections come from the same place as those of the store, with the same settings.
    alchemy = create_engine(
        engine.url.set(drivername=_DRIVERS[engine.name]), creator=lambda: engine.connect(writing=True)
    )
    try:
        with alchemy.connect() as connection:
            yield connection
    except Exception as error:
        cause = getattr(error, "orig", None) or error
        if engine.away(cause):
            raise StoreUnavailable() from error
        raise
    finally:
        alchemy.dispose()
