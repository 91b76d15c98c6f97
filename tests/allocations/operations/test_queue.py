"""Which entries of the queue come next, and which nodes belong to entries ahead."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.queue import TakeOverAllocations, take_over_allocations
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.nodes import Node
from dibs.quotas.model.errors import QuotaExceeded
from tests.allocation_builders import Steps, allocate, allocate_batch, gold, release, show
from tests.builders import Ledger
from tests.provider_builders import statements
from tests.quota_builders import limit
from tests.share_builders import share_fairly, weigh


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def test_conductor_that_restarts_finds_its_own_allocations(ledger: Ledger, steps: Steps) -> None:
    allocation = allocate(ledger)
    restarted = Steps(ledger, "conductor-1")
    assert (restarted.due(), steps.due()) == ([allocation.uuid], [])


def test_waiting_allocation_is_due_at_its_deadline(ledger: Ledger, steps: Steps) -> None:
    gold(ledger, maintenance=True)
    allocation = allocate(ledger, wait_seconds=20)
    assert (steps.ready(), steps.due()) == ([], [])
    ledger.clock.move(21)
    assert (steps.ready(), steps.due()) == ([], [allocation.uuid])


def test_waiting_allocation_is_ready_when_a_node_becomes_free(ledger: Ledger, steps: Steps) -> None:
    node = gold(ledger)
    first = allocate(ledger)
    steps.grant(first, node.uuid)
    allocation = allocate(ledger, wait_seconds=60)
    assert steps.ready() == []
    release(ledger, first)
    assert steps.ready() == [allocation.uuid]
    assert steps.grant(allocation, node.uuid) is Outcome.SETTLED
    assert steps.ready() == []


def test_allocation_that_does_not_accept_the_node_holds_up_no_other(ledger: Ledger, steps: Steps) -> None:
    allocate(ledger, wait_seconds=60, traits=("CUSTOM_GPU",))
    allocate(ledger, wait_seconds=60, owner="p")
    allocation, node = allocate(ledger, wait_seconds=60), gold(ledger)
    assert steps.ready() == [allocation.uuid]
    assert steps.found(allocation) == [node.uuid]
    assert steps.grant(allocation, node.uuid) is Outcome.SETTLED


def test_each_waiting_allocation_takes_one_node_and_leaves_the_rest(ledger: Ledger, steps: Steps) -> None:
    first, second, hasty = allocate(ledger, wait_seconds=60), allocate(ledger, wait_seconds=60), allocate(ledger)
    free = {gold(ledger).uuid for _ in range(3)}
    assert steps.ready() == [first.uuid, second.uuid]
    assert set(steps.found(first)) == free
    assert len(steps.found(second)) == 2
    assert len(steps.found(hasty)) == 1


def test_only_the_last_of_many_is_ready_when_only_it_accepts_the_node(ledger: Ledger, steps: Steps) -> None:
    for number in range(200):
        allocate(ledger, wait_seconds=60, traits=(f"CUSTOM_{number % 5}",))
    last = allocate(ledger, wait_seconds=60)
    node = gold(ledger)
    before = ledger.store.statistics.statements
    assert steps.ready(count_max=16) == [last.uuid]
    assert ledger.store.statistics.statements - before < 30, "statements must not grow with the queue"
    assert steps.grant(last, node.uuid) is Outcome.SETTLED


def test_equal_allocations_are_ready_in_queue_order(ledger: Ledger, steps: Steps) -> None:
    waiting = [allocate(ledger, wait_seconds=60).uuid for _ in range(50)]
    for _ in range(40):
        gold(ledger)
    assert steps.ready() == waiting[:40]
    assert steps.ready(count_max=16) == waiting[:16]


def test_ready_allocation_of_another_conductor_is_left_to_it(ledger: Ledger, steps: Steps) -> None:
    theirs = allocate(ledger, wait_seconds=60)
    second = Steps(ledger, "conductor-2")
    ours = [allocate(ledger, wait_seconds=60, incarnation=second.incarnation).uuid for _ in range(2)]
    gold(ledger)
    assert (steps.ready(), second.ready()) == ([theirs.uuid], [])
    gold(ledger)
    assert (steps.ready(), second.ready()) == ([theirs.uuid], ours[:1])


def test_allocation_past_its_deadline_or_of_a_failed_conductor_loses_its_position(ledger: Ledger, steps: Steps) -> None:
    allocate(ledger, wait_seconds=20)
    allocate(ledger, wait_seconds=1000)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    allocation, node = allocate(ledger, wait_seconds=60), gold(ledger)
    assert successor.ready() == [allocation.uuid]
    assert successor.found(allocation) == [node.uuid]


def test_batch_keeps_the_nodes_that_it_found_until_there_are_enough(ledger: Ledger, steps: Steps) -> None:
    batch = allocate_batch(ledger, 3, wait_seconds=60)[0].batch
    behind = allocate(ledger, wait_seconds=60)
    gold(ledger)
    gold(ledger)
    assert steps.ready() == []
    gold(ledger)
    assert steps.ready() == [batch]
    gold(ledger)
    assert steps.ready() == [batch, behind.uuid]


def test_waiting_batch_is_due_too(ledger: Ledger, steps: Steps) -> None:
    batch = allocate_batch(ledger, 2, wait_seconds=60)[0].batch
    assert steps.due() == [batch]


def test_allocations_of_a_failed_conductor_move_once(ledger: Ledger) -> None:
    allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == [1]
    assert successor.take_over() == []


def test_allocations_of_a_live_conductor_stay(ledger: Ledger) -> None:
    steps = Steps(ledger, "conductor-1")
    allocation = allocate(ledger)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == []
    command = TakeOverAllocations(conductor_id=steps.conductor_id, incarnation=successor.incarnation)
    assert ledger.runner.write(take_over_allocations, SERVICE, command) == 0
    assert show(ledger, allocation).conductor_id == steps.conductor_id


def test_batch_moves_whole(ledger: Ledger) -> None:
    gold(ledger)
    gold(ledger)
    steps = Steps(ledger, "conductor-1")
    batch = allocate_batch(ledger, 2)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == [2]
    assert (steps.due(), successor.due()) == ([], [batch[0].batch])
    assert steps.grant(batch[0], *steps.found(batch[0])) is Outcome.SETTLED
    steps.fail(batch[0], "not its own")
    assert [show(ledger, allocation).state for allocation in batch] == ["allocating"] * 2
    assert successor.grant(batch[0], *successor.found(batch[0])) is Outcome.SETTLED
    assert [show(ledger, allocation).state for allocation in batch] == ["active"] * 2


def shared(ledger: Ledger) -> Node:
    """Enrol a node that the projects p and q may both have."""
    return gold(ledger, owner="p", lessee="q")


def test_entry_that_its_quota_stops_keeps_no_node_from_those_behind(ledger: Ledger, steps: Steps) -> None:
    node = shared(ledger)
    limit(ledger, "p", "gold", nodes=0)
    stopped, behind = (allocate(ledger, wait_seconds=60, owner=project) for project in ("p", "q"))
    assert steps.ready() == [behind.uuid]
    assert steps.match(stopped).outcome is Outcome.WAITING
    assert steps.found(behind) == [node.uuid]
    assert steps.grant(behind, node.uuid) is Outcome.SETTLED


def test_entry_gets_its_node_when_its_quota_is_raised(ledger: Ledger, steps: Steps) -> None:
    node = shared(ledger)
    limit(ledger, "p", nodes=0)
    stopped = allocate(ledger, wait_seconds=60, owner="p")
    assert steps.ready() == []
    limit(ledger, "p", nodes=1)
    assert steps.ready() == [stopped.uuid]
    assert steps.grant(stopped, node.uuid) is Outcome.SETTLED


def test_quota_admits_as_many_entries_as_it_leaves_room_for(ledger: Ledger, steps: Steps) -> None:
    for _ in range(4):
        shared(ledger)
    limit(ledger, "p", "gold", nodes=2)
    entries = [allocate(ledger, wait_seconds=60, owner="p") for _ in range(3)]
    batch = allocate_batch(ledger, 3, wait_seconds=60, owner="p")
    other = allocate(ledger, wait_seconds=60, owner="q")
    assert batch[0].batch not in steps.ready()
    assert steps.ready() == [entries[0].uuid, entries[1].uuid, other.uuid]


def test_entry_without_a_node_of_its_kind_takes_no_room_of_its_quota(ledger: Ledger, steps: Steps) -> None:
    shared(ledger)
    limit(ledger, "p", nodes=1)
    allocate(ledger, wait_seconds=60, owner="p", traits=("CUSTOM_GPU",))
    second = allocate(ledger, wait_seconds=60, owner="p")
    assert steps.ready() == [second.uuid]


def test_allocation_that_does_not_wait_fails_at_its_quota(ledger: Ledger, steps: Steps) -> None:
    shared(ledger)
    limit(ledger, "p", nodes=0)
    allocation = allocate(ledger, owner="p")
    assert steps.conclude(allocation) is Outcome.FAILED
    assert show(ledger, allocation).last_error == ("Quota exceeded for nodes of project p: limit 0, used 0, asked 1.")


def test_grant_that_exceeds_a_quota_is_refused(ledger: Ledger, steps: Steps) -> None:
    node = shared(ledger)
    allocation = allocate(ledger, owner="p", wait_seconds=60)
    limit(ledger, "p", nodes=0)
    with pytest.raises(QuotaExceeded):
        steps.grant(allocation, node.uuid)
    assert show(ledger, allocation).state == "allocating"
    assert ledger.node(node).instance_uuid is None


def test_fair_share_gives_the_next_node_to_the_project_that_had_least(ledger: Ledger, steps: Steps) -> None:
    share_fairly(ledger)
    nodes = [shared(ledger) for _ in range(2)]
    first = allocate(ledger, owner="p", wait_seconds=60)
    steps.grant(first, nodes[0].uuid)
    second, late = allocate(ledger, owner="p", wait_seconds=60), allocate(ledger, owner="q", wait_seconds=60)
    assert steps.ready() == [late.uuid]
    assert (steps.found(second), steps.found(late)) == ([], [nodes[1].uuid])
    assert steps.grant(second, nodes[1].uuid) is Outcome.LOST
    assert steps.grant(late, nodes[1].uuid) is Outcome.SETTLED


def test_fair_share_binds_allocations_that_do_not_wait(ledger: Ledger, steps: Steps) -> None:
    share_fairly(ledger)
    nodes = [shared(ledger) for _ in range(2)]
    steps.grant(allocate(ledger, owner="p"), nodes[0].uuid)
    waiting, poor, rich = allocate(ledger, owner="q", wait_seconds=60), allocate(ledger), allocate(ledger, owner="p")
    assert steps.conclude(rich, retry=False) is Outcome.FAILED
    assert steps.found(poor) == [], "projects alternate, and the allocation that waits is older"
    release(ledger, waiting)
    assert steps.found(poor) == [nodes[1].uuid]


def test_weights_decide_how_many_nodes_of_a_free_fleet_go_to_each_project(ledger: Ledger, steps: Steps) -> None:
    share_fairly(ledger)
    weigh(ledger, "q", 3)
    made = {owner: [allocate(ledger, owner=owner, wait_seconds=60).uuid for _ in range(8)] for owner in ("p", "q")}
    for _ in range(8):
        shared(ledger)
    ready = steps.ready()
    assert sorted(ready) == sorted([*made["p"][:2], *made["q"][:6]])


def test_fair_share_takes_a_fixed_number_of_statements(ledger: Ledger, steps: Steps) -> None:
    share_fairly(ledger)
    shared(ledger)

    def take_turns(number: int) -> int:
        for _ in range(number):
            allocate(ledger, owner="p", wait_seconds=60)
            allocate(ledger, owner="q", wait_seconds=60)
        return statements(ledger, steps.ready)

    assert take_turns(1) == take_turns(20)


def test_first_come_is_first_served_by_default(ledger: Ledger, steps: Steps) -> None:
    weigh(ledger, "q", 100)
    nodes = [shared(ledger) for _ in range(2)]
    steps.grant(allocate(ledger, owner="p", wait_seconds=60), nodes[0].uuid)
    older = allocate(ledger, owner="p", wait_seconds=60)
    allocate(ledger, owner="q", wait_seconds=60)
    assert steps.ready() == [older.uuid]
