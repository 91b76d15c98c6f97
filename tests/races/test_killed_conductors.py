"""Conductor processes are killed at random points while they match allocations: every allocation is still settled."""

import random
import threading
from collections import Counter
from collections.abc import Callable

from dibs.access.access import SERVICE
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.database import Store
from dibs.database.runner import Runner
from dibs.machines.operations.conductors import list_conductors
from dibs.wiring.hooks import build_runner, read_clock
from tests import fleet
from tests.bed.forked import ForkedProcess
from tests.bed.waiting import eventually
from tests.conductor import process
from tests.races.crowd import all_at_once
from tests.races.test_allocations import THREADS, all_allocations, assert_one_node_each, number_settled

NODES = 60
ALLOCATIONS = 80
Spawn = Callable[[str], ForkedProcess]


def begin(runner: Runner, spawn_conductor: Spawn) -> dict[str, ForkedProcess]:
    started = {name: spawn_conductor(name) for name in ("c-0", "c-1")}
    eventually(lambda: len(runner.read(list_conductors, SERVICE, None)) == 2, seconds=60)
    return started


def under_load(runner: Runner, disturb: Callable[[], None]) -> None:
    """Create allocations in many threads while another thread kills conductors."""
    killer = threading.Thread(target=disturb)
    killer.start()

    def create(number: int) -> None:
        for n in range(number, ALLOCATIONS, THREADS):
            runner.write(create_allocation, SERVICE, CreateAllocation(name=f"r-{n}", resource_class="fleet"))

    assert [answer for answer in all_at_once(THREADS, create) if answer is not None] == []
    killer.join()


def reach(store: Store, count: int) -> None:
    """Wait until this many allocations are settled."""
    eventually(lambda: number_settled(store) >= count, seconds=60)


def assert_all_settled(store: Store, runner: Runner, url: str) -> None:
    """Check that every allocation has its final state within one take-over period.

    Every kill came before the last allocation was created, so one period from now is enough.
    """
    eventually(
        lambda: number_settled(store) == ALLOCATIONS,
        seconds=process.TAKE_OVER_SECONDS,
        what="a final state for every allocation",
    )
    allocations = all_allocations(runner)
    assert Counter(one.state for one in allocations) == {"active": NODES, "error": ALLOCATIONS - NODES}
    assert {one.last_error for one in allocations} == {None, f"{NODES} nodes of class fleet: {NODES} in use"}
    assert_one_node_each(url, allocations)


def test_another_conductor_settles_the_allocations_of_a_killed_one(
    store: Store, database_url: str, spawn_conductor: Spawn
) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    started = begin(runner, spawn_conductor)

    def kill_one() -> None:
        reach(store, random.randrange(1, NODES // 2))
        started["c-0"].kill()

    under_load(runner, kill_one)
    assert started["c-0"].wait(timeout=10) < 0, "no conductor was killed"
    assert_all_settled(store, runner, database_url)


def test_allocations_are_settled_while_conductors_are_killed_repeatedly(
    store: Store, database_url: str, spawn_conductor: Spawn
) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    started = begin(runner, spawn_conductor)

    killed = []

    def kill_and_restart() -> None:
        for point in sorted(random.sample(range(1, NODES), 3)):
            reach(store, point)
            name = random.choice(("c-0", "c-1"))
            started[name].kill()
            killed.append(started[name].wait())
            started[name] = spawn_conductor(name)

    under_load(runner, kill_and_restart)
    assert len(killed) == 3
    assert_all_settled(store, runner, database_url)
