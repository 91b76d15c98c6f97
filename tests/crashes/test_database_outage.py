"""The database server stops while requests run, and starts again."""

import time
from collections.abc import Callable

import pytest

from dibs.database.engines import timeouts
from dibs.database.migrate import upgrade
from dibs.database.store import CONNECTION_BACK, CONNECTION_LOST
from tests.bed.dibs_server import DibsServer
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer
from tests.bed.proxy import Proxy
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.crashes.client import SMALL_TIMES, Client, Load, assert_nothing_lost
from tests.laws import assert_lawful

MakeServer = Callable[[str], PostgresqlServer | MariadbServer]


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_requests_get_503_while_the_database_is_stopped_and_no_acknowledged_write_is_lost(
    engine: str, database_server: MakeServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = database_server(engine)
    database.address.execute("CREATE DATABASE outage")
    url = database.address.url("outage")
    upgrade(url)
    server = DibsServer(url, tmp_path_factory.mktemp("outage"), *SMALL_TIMES)
    server.start()
    try:
        with Load(server.port) as load:
            load.reach(10)
            # Stopped, not killed: the test databases run without flushing and would lose commits when killed.
            database.stop()
            eventually(lambda: load.refused)
            assert_requests_get_503(server)
            database.start()
            eventually(lambda: Client(server.port).ask("GET", "/healthcheck")[0] == 200, what="recovery")
            before = len(load.traits)
            eventually(lambda: len(load.traits) > before + 5, what="more load after the recovery")
        assert {status for status, _ in load.refused} <= {503, 404}, load.refused
        assert load.broken == []
        assert_nothing_lost(server, load)
        client = Client(server.port)
        eventually(lambda: {node["reservation"] for node in client.nodes("reservation").values()} == {None})
        assert_lawful(url)
        assert_losses_are_logged_once_each(server.log())
    finally:
        server.stop()


@pytest.mark.needs_engine("postgresql")
def test_sigterm_ends_a_server_whose_database_hangs(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Sooner than the wait for the database ends: an operator or an orchestrator waits for the process."""
    url = bed.databases("postgresql").fresh()
    port = url.rpartition(":")[2].partition("/")[0]
    proxy = Proxy(int(port))
    server = DibsServer(
        url.replace(f":{port}/", f":{proxy.port}/"), tmp_path_factory.mktemp("hung"), "--stop-timeout-seconds=1"
    )
    server.start()
    proxy.swallow()
    eventually(lambda: Client(server.port).ask("GET", "/readyz")[0] == 503)
    started = time.monotonic()
    server.stop()
    assert time.monotonic() - started < timeouts.ANSWER_SECONDS - 5, server.log()
    assert "Stopping with work still running" in server.log()
    proxy.close()


def assert_losses_are_logged_once_each(log: str) -> None:
    """Check that the log alternates between loss and recovery, however many requests failed.

    There may be more than one pair: requests on connections that the stopping server has not closed yet still succeed.
    """
    changes = [line for line in log.splitlines() if CONNECTION_LOST in line or CONNECTION_BACK in line]
    assert changes
    assert len(changes) % 2 == 0, changes
    assert all(CONNECTION_LOST in line for line in changes[::2]), changes
    assert all(CONNECTION_BACK in line for line in changes[1::2]), changes


def assert_requests_get_503(server: DibsServer) -> None:
    client = Client(server.port)
    status, document = client.ask("GET", "/baremetal/v1/nodes")
    assert status == 503
    assert int(client.headers["retry-after"]) > 0
    assert "faultstring" in document["error_message"]
    assert client.ask("GET", "/healthcheck")[0] == 503
    assert client.ask("GET", "/livez")[0] == 200
