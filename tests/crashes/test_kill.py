"""``kill -9`` of the server: no acknowledged write is lost, and every task is finished."""

import uuid
from collections.abc import Callable

from dibs.machines.model import states
from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.crashes.client import SMALL_TIMES, Client, Load, assert_nothing_lost
from tests.laws import assert_lawful

Serve = Callable[..., DibsServer]


def enrol_slow_node(server: DibsServer) -> str:
    """Enrol an available node whose deploy takes three seconds; return its uuid."""
    client, ident = Client(server.port), str(uuid.uuid4())
    settings = {"resource_class": "slow", "automated_clean": False, "driver_info": {"fake_delay_deploy": 3}}
    client.create(ident, **settings)
    for target, state in (("manage", "manageable"), ("provide", "available")):
        client.provision(ident, target)
        eventually(lambda state=state: client.node(ident)["provision_state"] == state)
    return ident


def begin_deploy(server: DibsServer, ident: str) -> None:
    Client(server.port).provision(ident, "active")
    eventually(lambda: f"node {ident}: deploy begins" in server.log())


def test_restarted_server_has_every_acknowledged_write_and_finishes_its_tasks(serve: Serve) -> None:
    server = serve(*SMALL_TIMES)
    with Load(server.port) as load:
        load.reach(25)
        ident = enrol_slow_node(server)
        begin_deploy(server, ident)
        server.kill()
    assert load.refused == []
    assert load.broken, "the server was killed while no request was running"
    tables = assert_lawful(server.database_url)
    assert "deploying" in {row["provision_state"] for row in tables["nodes"]}
    server.start()
    assert_nothing_lost(server, load)
    client = Client(server.port)
    at_rest = {states.ENROLL, states.MANAGEABLE, states.ACTIVE}
    eventually(lambda: {node["provision_state"] for node in client.nodes("provision_state").values()} <= at_rest)
    assert client.node(ident)["provision_state"] == "active"
    assert server.log().count(f"node {ident}: deploy is done") == 1
    assert_lawful(server.database_url)


def test_another_process_finishes_the_tasks_of_a_killed_server(serve: Serve) -> None:
    server = serve(*SMALL_TIMES)
    ident = enrol_slow_node(server)
    successor = serve(*SMALL_TIMES)
    begin_deploy(server, ident)
    server.kill()
    client = Client(successor.port)
    eventually(lambda: client.node(ident)["provision_state"] == "active")
    assert client.node(ident)["conductor"].endswith(f"-{successor.port}")
    assert f"takes over the work on node {ident}" in successor.log()
    assert_lawful(server.database_url)
