"""Many clients at two API processes with two conductor processes: each node is granted once, all others fail."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests import fleet
from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.crashes.client import Client
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

SECRET = ("--rpc-secret", "a secret of all processes")
CLIENTS = 16
NODES = 60


@pytest.mark.parametrize("asked", [NODES, NODES + 30])
def test_many_clients_at_two_apis_get_each_node_once(serve: Callable[..., DibsServer], asked: int) -> None:
    for _ in range(2):
        serve(*SECRET, command="conductor")
    apis = [serve(*SECRET, command="api") for _ in range(2)]
    fleet.fill(apis[0].database_url, NODES)

    def ask(number: int) -> None:
        client = Client(apis[number % 2].port)
        for _ in range(number, asked, CLIENTS):
            status, document = client.ask("POST", "/baremetal/v1/allocations", {"resource_class": "fleet"})
            assert (status, document.get("state")) == (201, "allocating"), document

    assert all_at_once(CLIENTS, ask) == [None] * CLIENTS
    client = Client(apis[0].port)

    def allocations() -> list[dict[str, str]]:
        found: list[dict[str, str]] = client.ask("GET", "/baremetal/v1/allocations")[1]["allocations"]
        return found

    eventually(lambda: all(one["state"] != "allocating" for one in allocations()), seconds=120, what="an end for all")
    ended = allocations()
    states = {"active": NODES, "error": asked - NODES} if asked > NODES else {"active": NODES}
    assert Counter(one["state"] for one in ended) == states
    reasons = {one["last_error"] for one in ended if one["state"] == "error"}
    assert reasons <= {f"{NODES} nodes of class fleet: {NODES} in use"}
    assert len({one["node_uuid"] for one in ended if one["state"] == "active"}) == NODES
    assert_lawful(apis[0].database_url)
