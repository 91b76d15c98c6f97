"""Concurrent allocations with two conductors: each node goes to one allocation, and every allocation is settled."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import bindparam, func, select

from dibs.access.access import EVERY_PROJECT, SERVICE, Access
from dibs.allocations.model.allocations import ALLOCATING, Allocation, AllocationQuery
from dibs.allocations.operations.allocations import (
    UpdateAllocation,
    delete_allocation,
    list_allocations,
    update_allocation,
)
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.intake import create_at_once
from dibs.allocations.tables import allocations as allocation_rows
from dibs.conductor import Conductor
from dibs.database import Store
from dibs.database.runner import Runner
from dibs.documents.json_patch import PatchOperation
from dibs.drivers import DRIVERS
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.wiring.hooks import build_runner, read_clock
from tests import fleet
from tests.bed.waiting import eventually
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

THREADS = 16
NODES = 60
SURPLUS = 30
SETTLED = select(func.count()).where(allocation_rows.c.state != ALLOCATING)
STATE = select(allocation_rows.c.state).where(allocation_rows.c.uuid == bindparam("uuid"))


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


def create_in_queue(runner: Runner, access: Access, command: CreateAllocation) -> Allocation:
    """Leave every node to the conductors."""
    return runner.write(create_allocation, access, command)


Create = Callable[[Runner, Access, CreateAllocation], Allocation]
either_way = pytest.mark.parametrize("create", [create_in_queue, create_at_once])


def create_allocations(runner: Runner, count: int, conductors: list[Conductor], create: Create) -> None:
    def create_some(number: int) -> None:
        for n in range(number, count, THREADS):
            create(runner, SERVICE, CreateAllocation(name=f"r-{n}", resource_class="fleet"))
            conductors[n % 2].wake()

    assert [answer for answer in all_at_once(THREADS, create_some) if answer is not None] == []


def all_allocations(runner: Runner) -> list[Allocation]:
    return runner.read(list_allocations, SERVICE, AllocationQuery(projects=EVERY_PROJECT))


def number_settled(store: Store) -> int:
    """Count the settled allocations on the rows: listing them through an operation would slow down the conductors."""
    (number,) = store.read(lambda tx: tx.values(SETTLED))
    return int(number)


def assert_one_node_each(url: str, allocations: list[Allocation]) -> None:
    nodes = {row["id"]: row for row in assert_lawful(url)["nodes"]}
    active = [allocation for allocation in allocations if allocation.state == "active"]
    assert len({allocation.node_id for allocation in active}) == len(active)
    for allocation in active:
        assert allocation.node_id is not None
        assert nodes[allocation.node_id]["instance_uuid"] == allocation.uuid
    assert sum(row["instance_uuid"] is not None for row in nodes.values()) == len(active)


@either_way
def test_as_many_allocations_as_nodes_get_one_node_each(store: Store, database_url: str, create: Create) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        create_allocations(runner, NODES, conductors, create)
        eventually(lambda: number_settled(store) == NODES, seconds=120)
    allocations = all_allocations(runner)
    assert Counter(allocation.state for allocation in allocations) == {"active": NODES}
    assert len({allocation.conductor_id for allocation in allocations}) == 2
    assert_one_node_each(database_url, allocations)


@either_way
def test_allocations_beyond_the_number_of_nodes_fail_with_the_reason(
    store: Store, database_url: str, create: Create
) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        create_allocations(runner, NODES + SURPLUS, conductors, create)
        eventually(lambda: number_settled(store) == NODES + SURPLUS, seconds=120)
    allocations = all_allocations(runner)
    assert Counter(allocation.state for allocation in allocations) == {"active": NODES, "error": SURPLUS}
    reasons = {allocation.last_error for allocation in allocations if allocation.state == "error"}
    assert reasons == {f"{NODES} nodes of class fleet: {NODES} in use"}
    assert_one_node_each(database_url, allocations)


def test_one_of_many_allocations_created_with_a_node_gets_it(store: Store, database_url: str) -> None:
    """All searched at the same moment and found the same nodes; the conductor is registered and does nothing."""
    fleet.fill(database_url, 10)
    runner = build_runner(store, read_clock)
    conductor = RegisterConductor(hostname="idle", group="", drivers=("fake-hardware",), incarnation="idle")
    runner.write(register_conductor, SERVICE, conductor)

    def create(number: int) -> list[str]:
        commands = [CreateAllocation(resource_class="fleet", chosen=fleet.uuid_of(n)) for n in range(10)]
        return [runner.write(create_allocation, SERVICE, command).state for command in commands]

    assert all(isinstance(states, list) for states in all_at_once(THREADS, create))
    allocations = all_allocations(runner)
    assert Counter(each.state for each in allocations) == {"active": 10, "allocating": 10 * (THREADS - 1)}
    assert_one_node_each(database_url, allocations)


def test_released_nodes_go_to_waiting_allocations(store: Store, database_url: str) -> None:
    fleet.fill(database_url, 10)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:

        def create_and_release(number: int) -> None:
            for n in range(3):
                command = CreateAllocation(name=f"{number}-{n}", resource_class="fleet", wait_seconds=120)
                created = runner.write(create_allocation, SERVICE, command)
                conductors[n % 2].wake()
                eventually(lambda uuid=created.uuid: state_of(store, uuid) != "allocating", seconds=120)
                assert state_of(store, created.uuid) == "active"
                runner.write(delete_allocation, SERVICE, created.uuid)
                conductors[n % 2].wake()

        assert all_at_once(THREADS, create_and_release) == [None] * THREADS
    assert all_allocations(runner) == []
    assert_one_node_each(database_url, [])


@either_way
def test_no_allocation_overtakes_an_earlier_one(store: Store, database_url: str, create: Create) -> None:
    """Threads make the nodes available one by one; later allocations without a wait get none of them."""
    fleet.fill(database_url, 40)
    runner = build_runner(store, read_clock)
    with two_conductors(runner) as conductors:
        set_maintenance_of_all(runner, on=True)
        waiting = [
            runner.write(create_allocation, SERVICE, CreateAllocation(resource_class="fleet", wait_seconds=600)).uuid
            for _ in range(60)
        ]
        assert len({allocation.conductor_id for allocation in all_allocations(runner)}) == 2
        late = threading.Thread(target=create_allocations, args=(runner, 48, conductors, create))
        late.start()
        set_maintenance_of_all(runner, on=False)
        late.join()

        def forty_are_active() -> bool:
            return sum(allocation.state == "active" for allocation in all_allocations(runner)) == 40

        eventually(forty_are_active, seconds=120)
    assert [allocation.uuid for allocation in all_allocations(runner) if allocation.state == "active"] == waiting[:40]
    assert_lawful(database_url)


def set_maintenance_of_all(runner: Runner, *, on: bool) -> None:
    """Change the nodes in eight threads, so that they become available in no fixed order."""
    commands = [SetMaintenance(ident=fleet.uuid_of(number), rules=(), on=on) for number in range(40)]

    def change(number: int) -> None:
        for command in commands[number::8]:
            runner.write(set_maintenance, SERVICE, command)

    assert all_at_once(8, change) == [None] * 8


def state_of(store: Store, uuid: str) -> str:
    (state,) = store.read(lambda tx: tx.values(STATE, {"uuid": uuid}))
    return str(state)


def test_concurrent_patches_are_all_kept(store: Store) -> None:
    runner = build_runner(store, read_clock)
    with two_conductors(runner):
        made = runner.write(create_allocation, SERVICE, CreateAllocation(resource_class="none"))

    def add(number: int) -> None:
        patch = (PatchOperation("add", f"/extra/{number}", number),)
        runner.write(update_allocation, SERVICE, UpdateAllocation(ident=made.uuid, patch=patch))

    assert all_at_once(THREADS, add) == [None] * THREADS
    (allocation,) = all_allocations(runner)
    assert set(allocation.extra) == {str(number) for number in range(THREADS)}
