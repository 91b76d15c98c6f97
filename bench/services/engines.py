"""A private database server, so that the CPU time that it uses belongs to one service."""

import shutil
from pathlib import Path

from sqlalchemy import Connection, text

from tests.bed.databases import Databases, ServerDatabases, SqliteDatabases
from tests.bed.processes import make_folder
from tests.bed.session import SERVERS

_COLLECT_STATISTICS = {"sqlite": "ANALYZE", "postgresql": "ANALYZE"}


class Engine:
    """A throw-away PostgreSQL or MariaDB, or a folder of SQLite files; ``folder`` also has logs and settings."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder: Path = make_folder()
        self._server = SERVERS[name]() if name in SERVERS else None
        self.databases: Databases = (
            ServerDatabases(self._server.address) if self._server else SqliteDatabases(self.folder)
        )

    @property
    def pid(self) -> int | None:
        """The process of the server; None for SQLite."""
        return self._server.process.pid if self._server and self._server.process else None

    def close(self) -> None:
        """Stop the server and delete everything."""
        if self._server is not None:
            self._server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


def collect_statistics(connection: Connection) -> None:
    """Update the planner's statistics, which a server in use has and a freshly filled one does not."""
    name = connection.dialect.name
    if name in _COLLECT_STATISTICS:
        connection.execute(text(_COLLECT_STATISTICS[name]))


def driver_url(url: str) -> str:
    """Return the URL of a database as oslo.db reads it."""
    return url.replace("postgresql://", "postgresql+psycopg2://").replace("mariadb://", "mysql+pymysql://")
