"""Run migrations, and compare a database with the tables that the code describes. The only user of Alembic.

``revisions`` answers what every start has to know; import this module only to migrate or to compare.
"""

import logging
import time

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData

from dibs.database import revisions
from dibs.database.engines import Engine, engine_for

ATTEMPTS = 30
"""How often an upgrade waits for the locks on tables; each wait has the limit of every statement."""
PAUSE_SECONDS = 1.0

logger = logging.getLogger(__name__)


def upgrade(url: str) -> None:
    """Run every migration that the database lacks. Of two processes that upgrade at once, one waits.

    A schema that is newer than this code stays as it is. While other transactions hold a table that a migration
    changes, the upgrade gives up its own locks, lets waiting requests pass, and starts again.
    """
    engine = engine_for(url)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _upgrade(url, engine)
            return
        except Exception as error:
            if attempt == ATTEMPTS or not engine.refused(getattr(error, "orig", error)):
                raise
            logger.warning("other transactions hold tables of the schema; attempt %d of %d", attempt, ATTEMPTS)
            time.sleep(PAUSE_SECONDS)


def _upgrade(url: str, engine: Engine) -> None:
    # Alembic uses a transaction that is already open, so the lock holds from the first migration to the last.
    with revisions.connected(url, upgrading=True) as connection, engine.upgrade(connection):
        if (revisions.current_on(connection) or "") < revisions.newest():
            command.upgrade(_config(connection), "head")


def problems(url: str, metadata: MetaData) -> list[str]:
    """Return every difference between the database and ``metadata``, which describes the tables of every package.

    A newer schema has more than this code describes: then only what this code uses is looked for.
    """
    found = revisions.problems(url, metadata)
    if found or revisions.current(url) != revisions.newest():
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
