"""OpenStack Ironic: API and conductor in one process, fake hardware, automated cleaning as in Dibs."""

import subprocess
import sys

from sqlalchemy import MetaData, select

from bench.load import Client, Target
from bench.services.engines import Engine, driver_url
from bench.services.packages import environment, install, start
from tests.bed.processes import Process, free_port, stop_process, tail_of
from tests.bed.waiting import eventually
from tests.fleet import traits_of, uuid_of
from tests.importing.real_ironic import configuration
from tests.laws import connect


class Ironic:
    """A server on a blank database of an engine."""

    def __init__(self, engine: Engine) -> None:
        install()
        self._url = engine.databases.blank()
        self._engine = engine
        self._port = free_port()
        self._log = engine.folder / "ironic.log"
        self._settings = engine.folder / "ironic.conf"
        url = driver_url(self._url)
        self._settings.write_text(configuration(engine.folder, self._port, url, automated_clean=True))
        self._process: Process | None = None

    def start(self) -> Target:
        """Create the tables, and start the server."""
        done = subprocess.run(
            self._command("dbsync", "create_schema"), env=environment(), capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"ironic-dbsync failed:\n{done.stdout}\n{done.stderr}")
        self._process = start(self._command("singleprocess"), self._log, {})
        target = Target(
            name="Ironic",
            port=self._port,
            pid=self._process.pid,
            database_pid=self._engine.pid,
            mounts={"baremetal": ""},
        )
        eventually(lambda: self._has_drivers(target), 120, "Ironic")
        return target

    def copy_node(self, uuid: str, count: int) -> None:
        """Insert copies of a node, named and numbered as those of tests/fleet.py, with the same traits."""
        tables = MetaData()
        with connect(self._url) as connection, connection.begin():
            tables.reflect(connection, only=["nodes", "node_traits"])
            nodes, traits = tables.tables["nodes"], tables.tables["node_traits"]
            model = dict(connection.execute(select(nodes).where(nodes.c.uuid == uuid)).mappings().one())
            # Allocations pass over a node whose power state is unknown.
            model["power_state"] = "power off"
            first = model["id"] + 1
            connection.execute(
                nodes.insert(),
                [model | {"id": first + n, "uuid": uuid_of(n), "name": f"fleet-{n}"} for n in range(count)],
            )
            pairs = [(first + n, name) for n in range(count) for name in traits_of(n)]
            connection.execute(traits.insert(), [{"node_id": n, "trait": name, "version": "1.0"} for n, name in pairs])

    def stop(self) -> None:
        """Stop the server."""
        if self._process is not None:
            stop_process(self._process)

    def _command(self, module: str, *words: str) -> list[str]:
        program = f"from ironic.command.{module} import main; main()"
        return [sys.executable, "-c", program, "--config-file", str(self._settings), *words]

    def _has_drivers(self, target: Target) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise RuntimeError(tail_of(self._log))
        with Client(target) as client:
            return len(client.get("baremetal", "/v1/drivers")["drivers"]) == 2
