"""Fixtures for every test: databases on each engine, running servers, and servers that a test may break.

A test that uses ``database_url``, ``store``, ``server`` or another fixture that needs a database runs once per
engine, or on one engine only. The folder decides which, in ENGINE_DEPENDENT below; CONTRIBUTING.md says why.
"""

import gc
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest

from dibs.database import Store
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import ForkedProcess, share_fork_servers, start_forked
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer
from tests.bed.processes import free_port
from tests.bed.scheduling import Scheduler, rank_of
from tests.bed.session import ENGINES, SERVERS, Bed
from tests.builders import Ledger

if TYPE_CHECKING:
    from tests.http.auth.keystone_server import Keystone

TESTS = Path(__file__).parent
BED = pytest.StashKey[Bed]()

ENGINE_DEPENDENT = {
    "allocations",
    "attacks",
    "bed",
    "calendars",
    "candidates",
    "conductor",
    "crashes",
    "database",
    "events",
    "faults",
    "flavors",
    "leases",
    "ledger",
    "machines",
    "notifications",
    "quotas",
    "races",
    "reports",
    "servers",
    "sessions",
    "webhooks",
}
"""Folders whose tests run on every chosen engine: queries, transactions, locks, migrations, races and crashes.

The tests of every other folder run on the first chosen engine. ``--every-engine`` runs all tests on all chosen engines.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine",
        action="append",
        default=[],
        metavar="NAME[,NAME]",
        help=f"run tests that need a database on these engines only (default: {','.join(ENGINES)})",
    )
    parser.addoption(
        "--every-engine",
        action="store_true",
        help="run every test that needs a database on every chosen engine, not only the engine-dependent ones",
    )


def pytest_configure(config: pytest.Config) -> None:
    for line in (
        "every_engine: runs on every chosen engine, although its folder does not",
        "one_engine: runs on the first chosen engine only, although its folder runs on every engine",
        "needs_engine(name): runs only when that engine is among the chosen ones",
        "server_engines: runs on the chosen engines other than SQLite",
        "before_release: runs with --every-engine only (make test-all): it starts a cluster and takes a minute",
    ):
        config.addinivalue_line("markers", line)
    config.stash[BED] = Bed()
    # A terminated run (a CI job that takes too long) must stop its servers too; Ctrl-C already does.
    signal.signal(signal.SIGTERM, _interrupt)


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[BED].close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Start servers once, before the worker processes that share them."""
    config.stash[BED].start_servers(chosen_engines(config))
    # A run of some tests may need no fork server: then each worker starts its own at first use.
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        share_fork_servers()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduler:
    return Scheduler(config, log)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine_name" in metafunc.fixturenames:
        engines = chosen_engines(metafunc.config)
        if not runs_on_every_engine(metafunc.definition):
            engines = engines[:1]
        metafunc.parametrize("engine_name", engines, scope="session")


def runs_on_every_engine(test: pytest.Item) -> bool:
    """Return whether a test runs on each chosen engine: by option, else by its own marker, else by its folder."""
    if test.config.getoption("every_engine"):
        return True
    if test.get_closest_marker("one_engine"):
        return False
    return test.get_closest_marker("every_engine") is not None or folder_of(test) in ENGINE_DEPENDENT


def folder_of(test: pytest.Item) -> str:
    """Return the folder directly under tests that a test is in."""
    return test.path.relative_to(TESTS).parts[0] if test.path.is_relative_to(TESTS) else ""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of engines that were not chosen, and sort the long tests first."""
    chosen = {*chosen_engines(config), None}
    left_out = {
        item
        for item in items
        if _needed_engine(item) not in chosen or _excludes_its_engine(item) or _waits_for_release(item)
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = sorted((item for item in items if item not in left_out), key=lambda item: rank_of(item.nodeid))


def _excludes_its_engine(item: pytest.Item) -> bool:
    """Return True for a test about concurrent writers on SQLite, which has one writer."""
    callspec = getattr(item, "callspec", None)
    on_sqlite = callspec is not None and callspec.params.get("engine_name") == "sqlite"
    return on_sqlite and item.get_closest_marker("server_engines") is not None


def _waits_for_release(item: pytest.Item) -> bool:
    marked = item.get_closest_marker("before_release") is not None
    return marked and not item.config.getoption("every_engine")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exempt everything that collecting loads from garbage collection: each collection of it takes 0.3 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the total duration of the tests of each folder, over all workers."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = report.nodeid.removeprefix("tests/").partition("/")[0].partition("::")[0]
                seconds[folder] += report.duration
    if len(seconds) > 1:
        terminalreporter.section("seconds per folder")
        for folder, total in sorted(seconds.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{total:8.1f} {folder}")


def _needed_engine(item: pytest.Item) -> str | None:
    """Return the engine that a test requires: that of its marker, or that of the server it breaks."""
    mark = item.get_closest_marker("needs_engine")
    if mark is not None:
        return str(mark.args[0])
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("engine") if callspec else None


def chosen_engines(config: pytest.Config) -> list[str]:
    """Read ``--engine``, in the order given."""
    names = [name for option in config.getoption("engine") for name in option.split(",")] or list(ENGINES)
    for name in names:
        if name not in ENGINES:
            raise pytest.UsageError(f"--engine {name}: choose from {', '.join(ENGINES)}")
    return list(dict.fromkeys(names))


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="session")
def bed(pytestconfig: pytest.Config) -> Bed:
    """The throw-away servers of this run."""
    return pytestconfig.stash[BED]


@pytest.fixture
def database_url(bed: Bed, engine_name: str) -> Iterator[str]:
    """The URL of this test's own database, with the newest schema and no rows."""
    url = bed.databases(engine_name).fresh()
    yield url
    bed.databases(engine_name).discard(url)


@pytest.fixture
def blank_database_url(bed: Bed, engine_name: str) -> Iterator[str]:
    """The URL of this test's own database without tables, for migrations."""
    url = bed.databases(engine_name).blank()
    yield url
    bed.databases(engine_name).discard(url)


@pytest.fixture
def store(bed: Bed, engine_name: str, database_url: str) -> Iterator[Store]:
    """The store of this test's database."""
    opened = bed.databases(engine_name).open_store(database_url)
    yield opened
    bed.databases(engine_name).close_store(database_url, opened)


@pytest.fixture
def ledger(store: Store) -> Ledger:
    """The store of this test with a registered conductor, and methods to enrol and read nodes."""
    return Ledger(store)


@pytest.fixture
def serve(database_url: str, tmp_path: Path) -> Iterator[Callable[..., DibsServer]]:
    """Start ``dibs serve`` on this test's database; flags, ``auth=`` and ``command=`` as for DibsServer.

    Another call starts another process on the same database. A test may kill, stop and restart each of them.
    """
    running: list[DibsServer] = []

    def start(*flags: str, auth: str = "noauth", database: str = database_url, command: str = "serve") -> DibsServer:
        server = DibsServer(database, tmp_path, *flags, auth=auth, command=command)
        running.append(server)
        server.start()
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def server(serve: Callable[..., DibsServer]) -> DibsServer:
    """A running Dibs with an empty database of its own."""
    return serve()


@pytest.fixture
def spawn_conductor(database_url: str, tmp_path: Path) -> Iterator[Callable[..., ForkedProcess]]:
    """Start a conductor on this test's database in a process of its own: its host name, how far ahead its clock is, and
    the URL of the message broker that gets its notifications.

    Conductors that still run at the end are killed.
    """
    running: list[ForkedProcess] = []

    def spawn(hostname: str, ahead: int = 0, broker: str = "") -> ForkedProcess:
        words = ("conductor", database_url, hostname, str(ahead), broker)
        running.append(start_forked(*words, log=tmp_path / "conductors.log"))
        return running[-1]

    yield spawn
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def shared_server(bed: Bed, engine_name: str) -> DibsServer:
    """A running Dibs that other tests use too: do not count their objects, and do not stop it."""
    return bed.shared_server(engine_name)


@pytest.fixture(scope="session")
def keystone(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Keystone"]:
    """A real Keystone, started once."""
    # Only few tests need its libraries.
    from tests.http.auth.keystone_server import Keystone

    server = Keystone(tmp_path_factory.mktemp("keystone"), free_port())
    server.prepare()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def database_server() -> Iterator[Callable[[str], PostgresqlServer | MariadbServer]]:
    """Start an extra database server of an engine, to stop, kill, freeze and start again.

    Give it a database with ``made.address.execute("CREATE DATABASE x")`` and use ``made.address.url("x")``.
    """
    made: list[PostgresqlServer | MariadbServer] = []

    def make(engine: str) -> PostgresqlServer | MariadbServer:
        made.append(SERVERS[engine]())
        return made[-1]

    yield make
    for one in made:
        one.remove()
