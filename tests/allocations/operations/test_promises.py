"""Allocations in the queue are told their position and their latest start."""

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.errors import NodePromised
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations import promises
from dibs.allocations.operations.endings import (
    PROMISED,
    FindLatestEnd,
    RenewAllocation,
    find_latest_end,
    renew_allocation,
)
from dibs.allocations.operations.promises import (
    ListQueue,
    UpdatePromises,
    get_queued_allocation,
    list_queue,
    update_promises,
)
from tests.allocation_builders import Steps, allocate, allocate_batch, allocate_node, force, release, show
from tests.builders import Ledger
from tests.provider_builders import statements
from tests.quota_builders import limit
from tests.share_builders import share_fairly, weigh

RULES = LifetimeRules(grace_seconds=10, turnover_seconds=60)
MINUTES_10 = Lifetime(seconds=600)


@pytest.fixture
def steps(ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def update(ledger: Ledger, steps: Steps) -> int:
    return ledger.runner.write(update_promises, SERVICE, UpdatePromises(incarnation=steps.incarnation, rules=RULES))


def taken(ledger: Ledger, seconds: int = 600):
    """Return an allocation that has a node for some time, and the node."""
    return allocate_node(ledger, lifetime=Lifetime(seconds=seconds), lifetime_rules=RULES)


def away(ledger: Ledger, moment: int | None) -> int | None:
    return None if moment is None else round((moment - ledger.clock()) / 1_000_000)


def wait(ledger: Ledger, **values):
    return allocate(ledger, wait_seconds=9_000, **values)


def test_each_waiting_allocation_has_a_position_and_a_latest_start(ledger, steps):
    taken(ledger)
    taken(ledger, 1_200)
    queued = [wait(ledger, lifetime=MINUTES_10) for _ in range(3)]
    wait(ledger, resource_class="tin")
    assert update(ledger, steps) == 4
    assert [away(ledger, show(ledger, each).promised_at) for each in queued] == [670, 1_270, 1_340]
    found = [ledger.runner.read(get_queued_allocation, SERVICE, each.uuid) for each in queued]
    assert [each.position for each in found] == [1, 2, 3]
    everything = ledger.runner.read(list_queue, SERVICE, ListQueue(projects=EVERY_PROJECT))
    assert [each.position for each in everything.visible] == [1, 2, 3, 1]
    assert update(ledger, steps) == 0


def test_number_of_statements_does_not_depend_on_the_number_of_new_promises(ledger, steps):
    taken(ledger)
    taken_by = []
    for count in (2, 5):
        for _ in range(count):
            wait(ledger, lifetime=MINUTES_10)
        taken_by.append(statements(ledger, lambda: update(ledger, steps)))
    assert taken_by[0] == taken_by[1]


def test_a_batch_has_one_position_and_other_projects_are_only_counted(ledger, steps):
    taken(ledger)
    batch = allocate_batch(ledger, 2, owner="p1", wait_seconds=9_000)
    mine = wait(ledger, owner="p2")
    found = ledger.runner.read(list_queue, SERVICE, ListQueue(projects=frozenset({"p2"})))
    assert (found.waiting, [(each.allocation.uuid, each.position) for each in found.visible]) == (3, [(mine.uuid, 2)])
    theirs = ledger.runner.read(list_queue, SERVICE, ListQueue(projects=frozenset({"p1"})))
    assert [(each.allocation.uuid, each.position) for each in theirs.visible] == [(each.uuid, 1) for each in batch]


def test_a_start_that_is_not_known_names_what_it_depends_on(ledger, steps):
    _, node = allocate_node(ledger)
    first, second = wait(ledger), wait(ledger, resource_class="tin")
    update(ledger, steps)
    assert (show(ledger, first).promised_at, show(ledger, first).depends_on) == (None, f"node {node.uuid} has no end")
    assert show(ledger, second).depends_on == "no node in service suits it"


def test_a_batch_counts_once_and_starts_with_its_last_node(ledger, steps):
    taken(ledger)
    taken(ledger, 1_200)
    batch, last = allocate_batch(ledger, 2, wait_seconds=9_000, lifetime=MINUTES_10), wait(ledger)
    update(ledger, steps)
    assert [away(ledger, show(ledger, each).promised_at) for each in (*batch, last)] == [1_270, 1_270, 1_940]
    positions = [ledger.runner.read(get_queued_allocation, SERVICE, each.uuid).position for each in (*batch, last)]
    assert positions == [1, 1, 2]


def test_a_promise_moves_earlier_when_a_node_is_released(ledger, steps):
    made, node = taken(ledger)
    queued = wait(ledger)
    update(ledger, steps)
    release(ledger, made)
    update(ledger, steps)
    assert (away(ledger, show(ledger, queued).promised_at), show(ledger, queued).moved_by) == (0, None)
    assert ledger.node(node).instance_uuid is None


def test_a_promise_that_moves_later_names_the_node(ledger, steps):
    _, node = taken(ledger)
    taken(ledger, 1_200)
    queued = wait(ledger)
    update(ledger, steps)
    force(ledger, node, instance_until=None)
    update(ledger, steps)
    moved = show(ledger, queued)
    assert (away(ledger, moved.promised_at), moved.moved_by) == (1_270, f"node {node.uuid} has no end")


def test_a_node_that_is_promised_is_not_renewed_past_the_promise(ledger, steps):
    made, _ = taken(ledger)
    wait(ledger)
    update(ledger, steps)

    def renew(seconds):
        command = RenewAllocation(ident=made.uuid, lifetime=Lifetime(seconds=seconds), rules=RULES)
        return ledger.runner.write(renew_allocation, SERVICE, command)

    keep = ledger.runner.read(find_latest_end, SERVICE, FindLatestEnd(ident=made.uuid, rules=RULES))
    assert (away(ledger, keep.latest), keep.reason) == (600, PROMISED)
    with pytest.raises(NodePromised):
        renew(660)
    assert away(ledger, renew(300).ends_at) == 300


def test_the_number_of_statements_does_not_depend_on_the_queue(ledger, steps):
    for _ in range(3):
        taken(ledger)
    wait(ledger)
    update(ledger, steps)
    few = statements(ledger, lambda: update(ledger, steps))
    for _ in range(5):
        wait(ledger)
    update(ledger, steps)
    assert statements(ledger, lambda: update(ledger, steps)) == few


def test_another_conductor_leaves_promises_alone(ledger, steps):
    taken(ledger)
    queued = wait(ledger)
    other = Steps(ledger, "conductor-2")
    assert update(ledger, other) == 0
    assert show(ledger, queued).promised_at is None


def test_quota_that_stops_an_entry_is_named_and_moves_its_promise(ledger, steps):
    _, node = taken(ledger)
    force(ledger, node, owner="p", lessee="q")
    queued = [wait(ledger, owner=project, lifetime=MINUTES_10) for project in ("p", "q")]
    update(ledger, steps)
    promised = [show(ledger, each).promised_at for each in queued]
    assert promised[0] is not None
    assert promised[0] < promised[1]
    limit(ledger, "p", "gold", nodes=0)
    update(ledger, steps)
    stopped, behind = (show(ledger, each) for each in queued)
    exceeded = "Quota exceeded for nodes of class gold of project p: limit 0, used 0, asked 1."
    assert (stopped.promised_at, stopped.depends_on, stopped.moved_by) == (None, exceeded, exceeded)
    assert behind.promised_at == promised[0]
    limit(ledger, "p", "gold", nodes=1)
    update(ledger, steps)
    assert show(ledger, queued[0]).promised_at is not None


def test_fair_share_decides_position_and_latest_start_and_names_the_event_that_moved_it(ledger, steps):
    share_fairly(ledger)
    _, node = allocate_node(ledger, lifetime=MINUTES_10, lifetime_rules=RULES)
    force(ledger, node, owner="a", lessee="b")
    first = wait(ledger, owner="a", lifetime=MINUTES_10)
    second = wait(ledger, owner="a", lifetime=MINUTES_10)
    update(ledger, steps)
    assert [away(ledger, show(ledger, each).promised_at) for each in (first, second)] == [670, 1_340]
    weigh(ledger, "b", 4)
    late = wait(ledger, owner="b", lifetime=MINUTES_10)
    update(ledger, steps)
    found = [ledger.runner.read(get_queued_allocation, SERVICE, each.uuid) for each in (late, first, second)]
    assert [each.position for each in found] == [1, 2, 3]
    assert [away(ledger, each.allocation.promised_at) for each in found] == [670, 1_340, 2_010]
    cause = f"an allocation that came later, ahead by fair share, takes node {node.uuid}"
    assert found[1].allocation.moved_by == cause.replace("takes", "has") + " before"
    everything = ledger.runner.read(list_queue, SERVICE, ListQueue(projects=EVERY_PROJECT))
    assert [each.allocation.uuid for each in everything.visible] == [late.uuid, first.uuid, second.uuid]


def test_head_of_the_queue_is_bounded_in_fair_order(ledger, steps, monkeypatch):
    share_fairly(ledger)
    monkeypatch.setattr(promises, "ALLOCATIONS_MAX", 3)
    first, batch = wait(ledger, owner="a"), allocate_batch(ledger, 2, owner="b", wait_seconds=9_000)
    wait(ledger, owner="a")
    found = ledger.runner.read(list_queue, SERVICE, ListQueue(projects=EVERY_PROJECT))
    expected = [(first.uuid, 1), *((each.uuid, 2) for each in batch)]
    assert [(each.allocation.uuid, each.position) for each in found.visible] == expected


def test_fair_forecast_takes_a_fixed_number_of_statements(ledger, steps):
    share_fairly(ledger)
    taken(ledger)

    def renew(number: int) -> int:
        for _ in range(number):
            wait(ledger, owner="a")
        update(ledger, steps)
        return statements(ledger, lambda: update(ledger, steps))

    assert renew(1) == renew(20)
