"""Processes of one release are replaced by those of the next one by one, under load, and no request fails.

The releases are wheels in environments of their own: N is built from these sources, and N+1 from a copy with a higher
version, a migration, and code that uses what it adds.
"""

import logging
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dibs.database import revisions
from faults.checker import check, read_work, unfinished
from faults.run import DRAWS
from faults.workload import claims, leases, machines
from faults.workload.client import Client, run_client
from faults.workload.memory import Memory, Step
from tests import fleet
from tests.bed.dibs_server import DibsServer
from tests.bed.processes import bare_environment, start_process
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.laws import read_tables
from tests.packaging.balancer import Balancer
from tests.packaging.building import build, install, only, run

pytestmark = pytest.mark.needs_engine("postgresql")

logger = logging.getLogger(__name__)

CLIENTS = 4
PAUSE_SECONDS = 0.1
"""Between two requests of a client: the machine is busy enough with starting processes."""
REQUESTS_BETWEEN_STEPS = 20
NEXT_VERSION = "99.0.0"
FLAGS = (
    "--rpc-secret=a secret of all processes",
    "--caller-limit=0",
    "--hold-seconds=3600",
    "--heartbeat-seconds=0.5",
    "--threads=4",
)
TABLES = """

nodes.append_column(Column("rack", String(36), nullable=False, server_default="unknown"))
Index(None, nodes.c.rack)
racks = table("racks", row_id(), text("name"))
"""
MIGRATION = """
import sqlalchemy as sa
from alembic import op

from dibs.database.schema import ROW_ID

revision = "{revision}"
down_revision = "{before}"


def upgrade():
    op.create_table(
        "racks",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(255), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_racks")),
    )
    op.add_column("nodes", sa.Column("rack", sa.String(36), nullable=False, server_default="unknown"))
    op.create_index(op.f("ix_nodes_rack"), "nodes", ["rack"])
"""


@pytest.fixture(scope="module")
def releases(built: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The installed ``dibs`` of the present release and of the next one."""
    folder = tmp_path_factory.mktemp("releases")
    following = folder / "source"
    shutil.copytree(source, following, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    change_sources(following)
    build(following, folder, "--wheel")
    wheels = (only(built, "*.whl"), only(folder, "*.whl"))
    present, later = (install(wheel, folder / name) for wheel, name in zip(wheels, ("present", "next"), strict=True))
    return present, later


def change_sources(folder: Path) -> None:
    """Make the sources of the next release."""
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(re.sub(r'(?m)^version = ".*"$', f'version = "{NEXT_VERSION}"', pyproject.read_text()))
    before = revisions.newest()
    revision = f"{int(before) + 1:04d}"
    migrations = folder / "src/dibs/database/migrations/versions"
    (migrations / f"v{revision}_racks.py").write_text(MIGRATION.format(revision=revision, before=before))
    with (folder / "src/dibs/machines/tables.py").open("a") as tables:
        tables.write(TABLES)


class InstalledDibs(DibsServer):
    """A process of an installed release."""

    program: Path

    def start(self) -> None:
        environment = bare_environment()
        environment.pop("PYTHONPATH", None)
        self.process = start_process([str(self.program), *self.words], self.log_path, environment)
        eventually(self.is_ready, 90, f"{self.words[0]} of {self.program}")


class BalancedClient(Client):
    """A client with a connection for each request, as a balancer makes them, and a pause after it."""

    def _ask(self, step: Step) -> object:
        try:
            return super()._ask(step)
        finally:
            self.hang_up()
            time.sleep(PAUSE_SECONDS)


class Load:
    """Clients that send random requests in all dialects."""

    def __init__(self, url: str, port: int) -> None:
        fleet.fill(url, machines.FLEET)
        began = time.monotonic()
        self.clients = [BalancedClient([port], Memory(1, number), began) for number in range(CLIENTS)]
        claims.prepare_pool(self.clients[0])
        leases.prepare_hosts(self.clients[0])
        for client in self.clients:
            claims.prepare_trees(client)
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=run_client, args=(client, DRAWS, self._stopping)) for client in self.clients
        ]
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        return sum(len(client.records) for client in self.clients)

    def go_on(self, what: str) -> None:
        """Wait until the clients have sent some more requests, and log what happened meanwhile."""
        before = self.count
        eventually(lambda: self.count >= before + REQUESTS_BETWEEN_STEPS, 120, "more requests")
        logger.info("%s: %d requests, %d failed", what, self.count, len(self.failed()))

    def failed(self) -> list[object]:
        """Return the requests without an answer, and those that the server did not manage to answer."""
        return [record for client in self.clients for record in client.records if record.unclear or record.status == 0]

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def url(bed: Bed) -> Iterator[str]:
    url = bed.databases("postgresql").blank()
    yield url
    bed.databases("postgresql").discard(url)


@pytest.fixture
def processes(url: str, tmp_path: Path) -> Iterator[list[InstalledDibs]]:
    """Two APIs and two conductors, not started."""
    made = [InstalledDibs(url, tmp_path, *FLAGS, command="api") for _ in range(2)]
    for name in ("one", "two"):
        made.append(InstalledDibs(url, tmp_path, *FLAGS, f"--conductor-name={name}", command="conductor"))
    yield made
    for process in made:
        process.kill()


def test_no_request_fails_while_processes_are_replaced_one_by_one(
    releases: tuple[Path, Path], url: str, processes: list[InstalledDibs], tmp_path: Path
) -> None:
    present, following = releases
    run(present, "db", "upgrade", "--database", url, cwd=tmp_path)
    first, second, *conductors = processes
    for process in processes:
        process.program = present
    for process in (first, *conductors):
        process.start()
    balancer = Balancer(first.port)
    load = Load(url, balancer.port)
    try:
        load.go_on("the present release")
        run(following, "db", "upgrade", "--database", url, cwd=tmp_path)
        load.go_on("the schema is upgraded")
        second.start()
        balancer.put_back(second.port)
        load.go_on("the present release starts on the new schema")
        for process in (first, conductors[0], second, conductors[1]):
            replace(process, following, balancer)
            load.go_on(f"{process.words[0]} is replaced")
    finally:
        load.stop()
        balancer.close()
    assert load.failed() == []
    assert run(following, "db", "check", "--database", url, cwd=tmp_path) == "No problems found.\n"
    eventually(lambda: not unfinished(read_work(url)), 60, "the end of all work")
    assert check(url, read_tables(url), load.clients) == []


def replace(process: InstalledDibs, program: Path, balancer: Balancer) -> None:
    """Stop a process as its service manager does, and start another release in its place."""
    is_api = process.words[0] == "api"
    if is_api:
        balancer.take_out(process.port)
    assert process.stop() == 0
    process.program = program
    process.start()
    if is_api:
        balancer.put_back(process.port)
