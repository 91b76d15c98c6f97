"""Run migrations, and compare a database with the tables that the code describes. The only user of Alembic.

``revisions`` answers what every start has to know; import this module only to migrate or to compare.
"""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData

from dibs.database import revisions
from dibs.database.engines import engine_for


def upgrade(url: str) -> None:
    """Run every migration that the database lacks. Of two processes that upgrade at once, one waits."""
    # Alembic uses a transaction that is already open, so the lock holds from the first migration to the last.
    with revisions.connected(url, upgrading=True) as connection, engine_for(url).upgrade(connection):
        command.upgrade(_config(connection), "head")


def problems(url: str, metadata: MetaData) -> list[str]:
    """Return every difference between the database and ``metadata``, which describes the tables of every package."""
    found = revisions.problems(url, metadata)
    if found:
        return found
    with revisions.connected(url) as connection:
        options = {"compare_type": False, "include_name": _is_described}
        context = MigrationContext.configure(connection, opts=options)
        return [f"The schema differs from the code: {difference}" for difference in compare_metadata(context, metadata)]


def _is_described(name: str | None, kind: str, parents: object) -> bool:
    """Return False for the table that upgrades of MariaDB keep for themselves."""
    return not (kind == "table" and name == "dibs_upgrade")


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", "dibs.database:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
