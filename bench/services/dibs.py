"""Dibs, as an operator runs it."""

from bench.load import Target
from bench.services.engines import Engine, collect_statistics
from bench.worlds import World
from dibs.database import open_store
from dibs.ledger.queries import structure
from tests.bed.dibs_server import DibsServer
from tests.laws import connect
from tests.placement_rows import put_world

MOUNTS = {"baremetal": "/baremetal", "placement": "/placement", "reservation": "/reservation", "dibs": "/dibs", "": ""}


class Dibs:
    """A server on a fresh database of an engine; ``url`` is that of the database."""

    def __init__(self, engine: Engine, workers: int = 1) -> None:
        self.url = engine.databases.fresh()
        self._engine = engine
        self._server = DibsServer(self.url, engine.folder, "--workers", str(workers))

    def start(self) -> Target:
        """Start the server."""
        self._server.start()
        return Target(
            name="Dibs",
            port=self._server.port,
            pid=self._server.pid,
            database_pid=self._engine.pid,
            mounts=MOUNTS,
        )

    def put_world(self, world: World) -> None:
        """Replace all providers."""
        store = open_store(self.url)
        try:
            put_world(store, world)
        finally:
            store.close()
        self.notice_rows()

    def notice_rows(self) -> None:
        """Let the server and the planner notice rows that were written directly."""
        store = open_store(self.url)
        try:
            store.write(structure.changed_everywhere)
        finally:
            store.close()
        with connect(self.url) as connection, connection.begin():
            collect_statistics(connection)

    def stop(self) -> None:
        """Stop the server."""
        self._server.stop()
