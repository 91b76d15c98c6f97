"""The servers that the tests of one run share. Each starts at most once; the process that starts it also stops it."""

import os
import shutil
from collections.abc import Iterable

from tests.bed.addresses import MariadbAddress, PostgresqlAddress
from tests.bed.databases import Databases, ServerDatabases, SqliteDatabases
from tests.bed.dibs_server import DibsServer
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer
from tests.bed.processes import make_folder

SERVERS: dict[str, type[PostgresqlServer] | type[MariadbServer]] = {
    "postgresql": PostgresqlServer,
    "mariadb": MariadbServer,
}
ENGINES = ("sqlite", *SERVERS)


def port_variable(engine: str) -> str:
    """Return the name of the environment variable with the port of an engine's server, for worker processes."""
    return f"TEST_BED_{engine.upper()}_PORT"


class Bed:
    """The bed of one test process. The process that started a server, and no other, stops it in ``close``.

    With pytest-xdist the controlling process starts the servers and its workers find their ports in the environment;
    without it, a server starts when the first test asks for it.
    """

    def __init__(self) -> None:
        self.folder = make_folder()
        self.started: dict[str, PostgresqlServer | MariadbServer] = {}
        self.databases_by_engine: dict[str, Databases] = {}
        self.shared_servers: dict[str, DibsServer] = {}

    def start_servers(self, engines: Iterable[str]) -> None:
        """Start the database servers of these engines and put their ports into the environment."""
        for engine in engines:
            if engine in SERVERS:
                self._port_of(engine)

    def databases(self, engine: str) -> Databases:
        """Return the source of databases of one engine."""
        if engine not in self.databases_by_engine:
            self.databases_by_engine[engine] = self._open_databases(engine)
        return self.databases_by_engine[engine]

    def shared_server(self, engine: str) -> DibsServer:
        """Return the Dibs that all tests of this process share on one engine."""
        if engine not in self.shared_servers:
            server = DibsServer(self.databases(engine).fresh(), self.folder)
            server.start()
            self.shared_servers[engine] = server
        return self.shared_servers[engine]

    def close(self) -> None:
        """Stop and remove every server that this process started."""
        for dibs in self.shared_servers.values():
            dibs.stop()
        for engine, server in self.started.items():
            server.remove()
            del os.environ[port_variable(engine)]
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open_databases(self, engine: str) -> Databases:
        if engine == "sqlite":
            return SqliteDatabases(self.folder)
        if engine == "postgresql":
            return ServerDatabases(PostgresqlAddress(self._port_of(engine)))
        return ServerDatabases(MariadbAddress(self._port_of(engine)))

    def _port_of(self, engine: str) -> int:
        if port_variable(engine) not in os.environ:
            self.started[engine] = SERVERS[engine]()
            os.environ[port_variable(engine)] = str(self.started[engine].address.port)
        return int(os.environ[port_variable(engine)])
