"""OpenStack Placement under gunicorn."""

import subprocess
import sys
import uuid
from typing import Any

from sqlalchemy import Connection, MetaData, Table, select, update

from bench.load import Client, Target
from bench.services.engines import Engine, collect_statistics, driver_url
from bench.services.packages import environment, install, start
from bench.worlds import Provider, World
from tests.bed.processes import Process, free_port, stop_process, tail_of
from tests.bed.waiting import eventually
from tests.laws import connect

_CONFIGURATION = """\
[api]
auth_strategy = noauth2
[placement_database]
connection = {url}
"""
_FILLED = (
    "allocations",
    "consumers",
    "inventories",
    "resource_provider_traits",
    "resource_provider_aggregates",
    "placement_aggregates",
    "resource_providers",
)
THREADS = 8


class Placement:
    """A server with as many workers as Dibs, on a blank database of an engine."""

    def __init__(self, engine: Engine, workers: int) -> None:
        install()
        self._url = engine.databases.blank()
        self._engine = engine
        self._workers = workers
        self._port = free_port()
        self._log = engine.folder / "placement.log"
        self._process: Process | None = None
        self._settings = engine.folder / "placement.conf"
        self._settings.write_text(_CONFIGURATION.format(url=driver_url(self._url)))

    def start(self) -> Target:
        """Create the tables, and start the server.

        The tables are not created by the server: a connection from before its fork would be shared by its workers.
        """
        manage = [sys.executable, "-c", "from placement.cmd.manage import main; main()"]
        command = [*manage, "--config-file", str(self._settings), "db", "sync"]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"placement-manage db sync failed:\n{done.stdout}\n{done.stderr}")
        options = ["--bind", f"127.0.0.1:{self._port}", "--workers", str(self._workers), "--keep-alive", "600"]
        options += ["--worker-class", "gthread", "--threads", str(THREADS), "--timeout", "600"]
        command = [sys.executable, "-m", "gunicorn", *options, "placement.wsgi.api:application"]
        self._process = start(command, self._log, {"OS_PLACEMENT_CONFIG_DIR": str(self._engine.folder)})
        target = Target(
            name="Placement",
            port=self._port,
            pid=self._process.pid,
            database_pid=self._engine.pid,
            mounts={"placement": ""},
        )
        eventually(lambda: self._answers(target), 120, "Placement")
        return target

    def put_world(self, world: World) -> None:
        """Replace all providers; what is used is one allocation per provider."""
        with connect(self._url) as connection, connection.begin():
            _World(connection).put(world)
        with connect(self._url) as connection, connection.begin():
            collect_statistics(connection)

    def stop(self) -> None:
        """Stop the server."""
        if self._process is not None:
            stop_process(self._process)

    def _answers(self, target: Target) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise RuntimeError(tail_of(self._log))
        with Client(target) as client:
            return bool(client.get("placement", "/resource_providers?name=none") == {"resource_providers": []})


class _World:
    """Writes providers into the tables of Placement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tables = MetaData()
        self._tables.reflect(connection)

    def put(self, world: World) -> None:
        providers = self._table("resource_providers")
        self._connection.execute(update(providers).values(parent_provider_id=None, root_provider_id=None))
        for name in _FILLED:
            self._connection.execute(self._table(name).delete())
        ids = {name: number for number, name in enumerate(world.providers, start=1)}
        self._insert("resource_providers", [_provider(world, name, ids) for name in ids])
        self._put_stocks(world, ids)
        self._put_traits(world, ids)
        self._put_aggregates(world, ids)

    def _put_stocks(self, world: World, ids: dict[str, int]) -> None:
        classes = self._ids("resource_classes")
        stocks = [(each, name, stock) for each in world.providers.values() for name, stock in each.stocks.items()]
        self._insert(
            "inventories",
            [
                {
                    "resource_provider_id": ids[provider.name],
                    "resource_class_id": classes[name],
                    "total": stock.total,
                    "reserved": stock.reserved,
                    "min_unit": stock.min_unit,
                    "max_unit": stock.max_unit,
                    "step_size": stock.step_size,
                    "allocation_ratio": stock.ratio,
                }
                for provider, name, stock in stocks
            ],
        )
        using = {provider.name: str(uuid.uuid4()) for provider, _, stock in stocks if stock.used}
        owner = {"project_id": self._first("projects"), "user_id": self._first("users")}
        self._insert("consumers", [{"uuid": consumer, "generation": 1, **owner} for consumer in using.values()])
        self._insert(
            "allocations",
            [
                {
                    "resource_provider_id": ids[provider.name],
                    "resource_class_id": classes[name],
                    "consumer_id": using[provider.name],
                    "used": stock.used,
                }
                for provider, name, stock in stocks
                if stock.used
            ],
        )

    def _put_traits(self, world: World, ids: dict[str, int]) -> None:
        known = self._ids("traits")
        own = {trait for provider in world.providers.values() for trait in provider.traits}
        self._insert("traits", [{"name": name} for name in sorted(own - set(known))])
        numbers = self._ids("traits")
        pairs = [(ids[each.name], numbers[trait]) for each in world.providers.values() for trait in each.traits]
        self._insert("resource_provider_traits", [{"resource_provider_id": a, "trait_id": b} for a, b in pairs])

    def _put_aggregates(self, world: World, ids: dict[str, int]) -> None:
        own = sorted({aggregate for provider in world.providers.values() for aggregate in provider.aggregates})
        numbers = {aggregate: number for number, aggregate in enumerate(own, start=1)}
        self._insert("placement_aggregates", [{"id": number, "uuid": name} for name, number in numbers.items()])
        pairs = [(ids[each.name], numbers[name]) for each in world.providers.values() for name in each.aggregates]
        self._insert("resource_provider_aggregates", [{"resource_provider_id": a, "aggregate_id": b} for a, b in pairs])

    def _table(self, name: str) -> Table:
        return self._tables.tables[name]

    def _ids(self, table: str) -> dict[str, int]:
        columns = self._table(table).c
        return {row.name: row.id for row in self._connection.execute(select(columns.name, columns.id))}

    def _first(self, table: str) -> int:
        """Return the id of the only project or user, which is created when there is none."""
        columns = self._table(table).c
        if self._connection.execute(select(columns.id)).first() is None:
            self._insert(table, [{"external_id": "bench"}])
        return int(self._connection.execute(select(columns.id)).scalars().first() or 0)

    def _insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._connection.execute(self._table(table).insert(), rows)


def _provider(world: World, name: str, ids: dict[str, int]) -> dict[str, Any]:
    provider: Provider = world.providers[name]
    return {
        "id": ids[name],
        "uuid": name,
        "name": name,
        "generation": 0,
        "root_provider_id": ids[world.root(name)],
        "parent_provider_id": ids[provider.parent] if provider.parent else None,
    }
