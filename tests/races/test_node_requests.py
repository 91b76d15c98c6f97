"""Many ask for a node at once, and two conductors serve them: each node goes to one, and nobody is forgotten."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import NodeRequest, NodeRequestQuery
from dibs.allocations.operations.allocations import (
    CreateNodeRequest,
    GetNodeRequest,
    ListNodeRequests,
    UpdateNodeRequest,
    create_node_request,
    delete_node_request,
    list_node_requests,
    update_node_request,
)
from dibs.conductor import Conductor
from dibs.database import Store
from dibs.database.runner import Runner
from dibs.drivers import DRIVERS
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.wiring import build_runner, read_clock
from tests import fleet
from tests.bed.waiting import eventually
from tests.builders import allow
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

THREADS = 16
NODES = 200


def anybody(request: NodeRequest) -> None:
    """The guard of somebody who may do anything."""


@contextmanager
def two_conductors(runner: Runner) -> Iterator[list[Conductor]]:
    running = [Conductor(runner, DRIVERS, read_clock, hostname=f"c-{n}", poll_seconds=0.1) for n in range(2)]
    try:
        for conductor in running:
            conductor.start()
        yield running
    finally:
        for conductor in running:
            conductor.stop()


def ask_for(runner: Runner, count: int, conductors: list[Conductor]) -> None:
    def ask(number: int) -> None:
        for n in range(number, count, THREADS):
            runner.write(create_node_request, SERVICE, CreateNodeRequest(name=f"r-{n}", resource_class="fleet"))
            conductors[n % 2].wake()

    assert [answer for answer in all_at_once(THREADS, ask) if answer is not None] == []


def all_requests(runner: Runner) -> list[NodeRequest]:
    return runner.read(list_node_requests, SERVICE, ListNodeRequests(query=NodeRequestQuery()))


def settled(runner: Runner, count: int) -> Callable[[], bool]:
    return lambda: sum(request.state != "allocating" for request in all_requests(runner)) == count


def check_each_has_a_node_of_its_own(url: str, requests: list[NodeRequest]) -> None:
    nodes = {row["id"]: row for row in assert_lawful(url)["nodes"]}
    served = [request for request in requests if request.state == "active"]
    assert len({request.node_id for request in served}) == len(served)
    for request in served:
        assert request.node_id is not None
        assert nodes[request.node_id]["instance_uuid"] == request.uuid
    assert sum(row["instance_uuid"] is not None for row in nodes.values()) == len(served)


def test_as_many_requests_as_nodes_are_all_served(store: Store, database_url: str) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        ask_for(runner, NODES, conductors)
        eventually(settled(runner, NODES), seconds=120)
    requests = all_requests(runner)
    assert Counter(request.state for request in requests) == {"active": NODES}
    assert len({request.conductor_id for request in requests}) == 2
    check_each_has_a_node_of_its_own(database_url, requests)


def test_of_more_requests_than_nodes_the_rest_fails_with_the_reason(store: Store, database_url: str) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        ask_for(runner, NODES + 100, conductors)
        eventually(settled(runner, NODES + 100), seconds=120)
    requests = all_requests(runner)
    assert Counter(request.state for request in requests) == {"active": NODES, "error": 100}
    reasons = {request.last_error for request in requests if request.state == "error"}
    assert reasons == {"200 nodes of class fleet: 200 in use"}
    check_each_has_a_node_of_its_own(database_url, requests)


def test_nodes_that_are_given_back_go_to_those_who_wait_for_them(store: Store, database_url: str) -> None:
    fleet.fill(database_url, 10)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:

        def ask_and_give_back(number: int) -> None:
            for n in range(5):
                command = CreateNodeRequest(name=f"{number}-{n}", resource_class="fleet", wait_seconds=120)
                asked = runner.write(create_node_request, SERVICE, command)
                conductors[n % 2].wake()
                eventually(lambda uuid=asked.uuid: state_of(runner, uuid) != "allocating", seconds=120)
                assert state_of(runner, asked.uuid) == "active"
                runner.write(delete_node_request, SERVICE, GetNodeRequest(ident=asked.uuid, guard=anybody))
                conductors[n % 2].wake()

        assert all_at_once(THREADS, ask_and_give_back) == [None] * THREADS
    assert all_requests(runner) == []
    check_each_has_a_node_of_its_own(database_url, [])


def test_nobody_passes_another_in_line(store: Store, database_url: str) -> None:
    """Nodes come one by one from many threads, and those who ask last and do not wait get none of them."""
    fleet.fill(database_url, 40)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        set_maintenance_of_all(runner, on=True)
        waiting = [
            runner.write(create_node_request, SERVICE, CreateNodeRequest(resource_class="fleet", wait_seconds=600)).uuid
            for _ in range(60)
        ]
        assert len({request.conductor_id for request in all_requests(runner)}) == 2
        hurry = threading.Thread(target=ask_for, args=(runner, 48, conductors))
        hurry.start()
        set_maintenance_of_all(runner, on=False)
        hurry.join()

        def forty_are_served() -> bool:
            return sum(request.state == "active" for request in all_requests(runner)) == 40

        eventually(forty_are_served, seconds=120)
    assert [request.uuid for request in all_requests(runner) if request.state == "active"] == waiting[:40]
    assert_lawful(database_url)


def set_maintenance_of_all(runner: Runner, *, on: bool) -> None:
    """In eight threads, so that nodes come free at any moment."""
    commands = [SetMaintenance(ident=fleet.uuid_of(number), guard=allow, on=on) for number in range(40)]

    def change(number: int) -> None:
        for command in commands[number::8]:
            runner.write(set_maintenance, SERVICE, command)

    assert all_at_once(8, change) == [None] * 8


def state_of(runner: Runner, uuid: str) -> str:
    return next(request.state for request in all_requests(runner) if request.uuid == uuid)


def test_patches_at_the_same_moment_are_all_kept(store: Store) -> None:
    runner = build_runner(store, read_clock)
    with two_conductors(runner):
        made = runner.write(create_node_request, SERVICE, CreateNodeRequest(resource_class="none"))

    def add(number: int) -> None:
        def edit(request: NodeRequest) -> dict[str, object]:
            return {"extra": {**request.extra, str(number): number}}

        runner.write(update_node_request, SERVICE, UpdateNodeRequest(ident=made.uuid, guard=anybody, edit=edit))

    assert all_at_once(THREADS, add) == [None] * THREADS
    (request,) = all_requests(runner)
    assert set(request.extra) == {str(number) for number in range(THREADS)}
