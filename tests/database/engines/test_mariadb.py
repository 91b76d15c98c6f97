"""MariaDB alone and as a Galera cluster of three nodes."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pymysql
import pytest
from pymysql.cursors import Cursor
from sqlalchemy import make_url, text

from dibs.access.access import SERVICE
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.database import Store, health, open_store
from dibs.database.engines import engine_for
from dibs.database.engines.mariadb import MariaDB
from dibs.database.engines.servers import Unreachable
from dibs.database.migrate import upgrade
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.wiring.hooks import build_runner, read_clock
from tests import fleet
from tests.bed.galera import NODES, GaleraCluster
from tests.bed.waiting import eventually
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once
from tests.races.restructuring import run_processes, search_after_each_commit


@pytest.fixture(scope="module")
def cluster() -> Iterator[GaleraCluster]:
    made = GaleraCluster()
    yield made
    made.remove()


def connect(cluster: GaleraCluster, node: int, database: str) -> "pymysql.Connection[Cursor]":
    """Connect to one node as Dibs does."""
    return MariaDB([make_url(cluster.nodes[node].address.url(database))]).connect(writing=True)


def node_of(store: Store) -> str:
    """Return the node to which the store is connected."""
    return str(store.read(lambda tx: tx.values(text("SELECT @@wsrep_node_name")))[0])


@pytest.mark.needs_engine("mariadb")
@pytest.mark.parametrize(
    "statement",
    ["SELECT id FROM parents WHERE id = %s", "DELETE FROM parents WHERE id = %s", "INSERT INTO children VALUES (%s)"],
)
def test_first_statement_on_a_galera_node_sees_what_another_node_acknowledged(
    cluster: GaleraCluster, statement: str
) -> None:
    """Each kind of statement has a bit of wsrep_sync_wait: with 3, about one of ten INSERTs misses its parent."""
    cluster.execute(
        "CREATE DATABASE families",
        "CREATE TABLE families.parents (id INT PRIMARY KEY)",
        "CREATE TABLE families.children (id INT PRIMARY KEY REFERENCES parents (id))",
    )
    with closing(connect(cluster, 0, "families")) as writer, closing(connect(cluster, 1, "families")) as reader:
        for number in range(100):
            with writer.cursor() as cursor:
                cursor.execute("INSERT INTO parents VALUES (%s)", (number,))
            writer.commit()
            with reader.cursor() as cursor:
                assert cursor.execute(statement, (number,)) == 1
            reader.commit()
    cluster.execute("DROP DATABASE families")


@pytest.mark.needs_engine("mariadb")
def test_processes_on_several_galera_nodes_never_search_an_old_structure(
    cluster: GaleraCluster, tmp_path: Path
) -> None:
    cluster.execute("CREATE DATABASE structure")
    urls = [node.address.url("structure") for node in cluster.nodes]
    upgrade(urls[0])
    assert run_processes(urls, tmp_path / "log") == ""
    search_after_each_commit(urls[0], urls[1])


@pytest.mark.needs_engine("mariadb")
def test_one_allocation_gets_a_node_that_several_galera_nodes_found_free(cluster: GaleraCluster) -> None:
    cluster.execute("CREATE DATABASE allocations")
    urls = [node.address.url("allocations") for node in cluster.nodes]
    upgrade(urls[0])
    fleet.fill(urls[0], 20)
    stores = [open_store(url) for url in urls]
    runners = [build_runner(store, read_clock) for store in stores]
    conductor = RegisterConductor(hostname="idle", group="", drivers=("fake-hardware",), incarnation="idle")
    runners[0].write(register_conductor, SERVICE, conductor)

    def create(number: int) -> list[str]:
        commands = [CreateAllocation(resource_class="fleet", chosen=fleet.uuid_of(n)) for n in range(20)]
        return [runners[number % NODES].write(create_allocation, SERVICE, command).state for command in commands]

    answers = all_at_once(2 * NODES, create)
    for store in stores:
        store.close()
    states = Counter(state for answer in answers if isinstance(answer, list) for state in answer)
    assert states == {"active": 20, "allocating": 20 * (2 * NODES - 1)}
    assert_lawful(urls[1])


@pytest.mark.needs_engine("mariadb")
def test_store_uses_the_next_galera_node_when_its_own_is_killed_or_cut_off(cluster: GaleraCluster) -> None:
    cluster.execute("CREATE DATABASE one", "CREATE TABLE one.written (number INT PRIMARY KEY)")
    store = open_store(cluster.url("one", first=1))

    def insert(number: int) -> None:
        store.write(lambda tx: tx.change(text(f"INSERT INTO written VALUES ({number})")))

    insert(1)
    assert node_of(store) == "node-1"
    cluster.nodes[1].kill()
    insert(2)
    assert node_of(store) == "node-2"
    cluster.nodes[1].start()
    cluster.nodes[2].isolate()
    eventually(lambda: cluster.nodes[2].status("wsrep_ready") == "OFF")
    insert(3)
    assert node_of(store) == "node-0"
    with pytest.raises(Unreachable, match="wsrep_ready is OFF"):
        port = cluster.nodes[2].address.port
        engine_for(f"mariadb://dibs@127.0.0.1:{port},127.0.0.1:{port}/one").connect(writing=True)
    cluster.nodes[2].rejoin()
    eventually(cluster.nodes[2].is_ready)
    cluster.kill()
    cluster.start()
    for node in cluster.nodes:
        alone = open_store(node.address.url("one"))
        assert alone.read(lambda tx: tx.values(text("SELECT number FROM written"))) == [1, 2, 3]
        alone.close()
    store.close()


@pytest.mark.needs_engine("mariadb")
def test_galera_node_without_quorum_is_not_healthy_until_it_rejoins(cluster: GaleraCluster) -> None:
    cluster.execute("CREATE DATABASE two", "CREATE TABLE two.write_probes (uuid VARCHAR(36) PRIMARY KEY)")
    node = cluster.nodes[2]
    store = open_store(node.address.url("two"))
    assert health.problems(store) == []
    node.isolate()
    eventually(lambda: health.problems(store) != [], what="a problem")
    node.rejoin()
    eventually(lambda: health.problems(store) == [], what="recovery")
    store.close()
