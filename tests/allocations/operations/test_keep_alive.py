"""Allocations that live as long as their client sends heartbeats."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.model.lifetimes import Step
from dibs.allocations.operations.batches import RetryAllocation, retry_allocation
from dibs.allocations.operations.endings import NodeBusy, end_due_allocation, list_due_allocations, postpone_end
from dibs.allocations.operations.keep_alive import RecordHeartbeat, record_heartbeat
from dibs.errors import Forbidden
from dibs.machines.model.errors import WrongState
from tests.allocation_builders import allocate, allocate_batch, allocate_node, force, gold, holders, show
from tests.builders import Ledger, granted
from tests.law_checks import broken

SEES_ONLY = granted("baremetal:allocation:get", project="blue")


def abandoned(ledger: Ledger) -> list[str]:
    return ledger.runner.read(list_due_allocations, SERVICE, 10)


def end(ledger: Ledger, uuid: str) -> bool:
    return ledger.runner.write(end_due_allocation, SERVICE, uuid) is Step.END


def beat(ledger: Ledger, ident: str, access=SERVICE, **changes):
    return ledger.runner.write(record_heartbeat, access, RecordHeartbeat(ident=ident, **changes))


def test_an_allocation_without_heartbeats_lives_on(ledger):
    allocate(ledger)
    ledger.clock.move(1_000_000)
    assert abandoned(ledger) == []


def test_a_heartbeat_keeps_an_allocation_alive(ledger):
    made = allocate(ledger, keep_alive_seconds=60)
    ledger.clock.move(50)
    assert beat(ledger, made.uuid).alive_until > made.alive_until
    ledger.clock.move(50)
    assert abandoned(ledger) == []
    ledger.clock.move(11)
    assert abandoned(ledger) == [made.uuid]


def test_an_abandoned_allocation_leaves_the_queue_with_the_reason(ledger):
    made = allocate(ledger, keep_alive_seconds=60, wait_seconds=3_600)
    ledger.clock.move(61)
    assert end(ledger, made.uuid)
    ended = show(ledger, made)
    assert (ended.state, ended.alive_until) == ("error", None)
    assert ended.last_error == "Its client sent no heartbeat for 60 seconds, so it was withdrawn from the queue."
    assert abandoned(ledger) == []
    assert beat(ledger, made.uuid).state == "error"


def test_the_node_of_an_abandoned_allocation_is_free_again(ledger):
    made, node = allocate_node(ledger, keep_alive_seconds=60)
    ledger.clock.move(61)
    assert end(ledger, made.uuid)
    ended = show(ledger, made)
    assert (ended.state, ended.node_uuid) == ("error", None)
    assert ended.last_error == f"Its client sent no heartbeat for 60 seconds, so node {node.uuid} was released."
    assert (ledger.node(node).instance_uuid, holders(ledger, node)) == (None, [])
    assert broken(ledger) == []


def test_a_deployed_node_is_torn_down(ledger):
    made, node = allocate_node(ledger, keep_alive_seconds=60)
    force(ledger, node, provision_state="active")
    ledger.clock.move(61)
    ledger.revive_conductor()
    assert end(ledger, made.uuid)
    assert ledger.node(node).provision_state == "deleting"
    assert show(ledger, made).state == "error"
    assert broken(ledger) == []


def test_a_busy_node_is_looked_at_again_later(ledger):
    made, node = allocate_node(ledger, keep_alive_seconds=60)
    force(ledger, node, reservation="conductor-1")
    ledger.clock.move(61)
    with pytest.raises(NodeBusy):
        end(ledger, made.uuid)
    assert show(ledger, made).state == "active"
    ledger.runner.write(postpone_end, SERVICE, made.uuid)
    assert abandoned(ledger) == []
    ledger.clock.move(11)
    force(ledger, node, reservation=None)
    assert abandoned(ledger) == [made.uuid]
    assert end(ledger, made.uuid)


def test_a_heartbeat_after_the_list_was_read_keeps_the_node(ledger):
    made, node = allocate_node(ledger, keep_alive_seconds=60)
    ledger.clock.move(61)
    assert abandoned(ledger) == [made.uuid]
    beat(ledger, made.uuid)
    assert not end(ledger, made.uuid)
    assert ledger.node(node).instance_uuid == made.uuid


def test_one_heartbeat_keeps_a_whole_batch_alive(ledger):
    first, second = allocate_batch(ledger, 2, keep_alive_seconds=60)
    ledger.clock.move(50)
    beat(ledger, first.uuid)
    assert show(ledger, second).alive_until == show(ledger, first).alive_until > first.alive_until


@pytest.mark.parametrize(("changes", "seconds"), [({}, 60), ({"keep_alive_seconds": 90}, 90)])
def test_a_retried_allocation_needs_heartbeats_again(ledger, changes, seconds):
    made = allocate(ledger, keep_alive_seconds=60)
    ledger.clock.move(61)
    end(ledger, made.uuid)
    ledger.revive_conductor()
    retried = ledger.runner.write(retry_allocation, SERVICE, RetryAllocation(ident=made.uuid, **changes))
    assert retried.keep_alive_seconds == seconds
    assert retried.alive_until is not None


def test_a_retry_by_a_client_without_heartbeats_lives_on(ledger):
    made = allocate(ledger, keep_alive_seconds=60)
    ledger.clock.move(61)
    end(ledger, made.uuid)
    ledger.revive_conductor()
    command = RetryAllocation(ident=made.uuid, keep_alive_seconds=None)
    retried = ledger.runner.write(retry_allocation, SERVICE, command)
    assert (retried.keep_alive_seconds, retried.alive_until) == (None, None)


def test_a_heartbeat_changes_the_time_of_a_whole_batch_or_ends_the_need_for_more(ledger):
    first, second = allocate_batch(ledger, 2, keep_alive_seconds=60)
    beat(ledger, first.uuid, keep_alive_seconds=600)
    ledger.clock.move(61)
    assert abandoned(ledger) == []
    assert show(ledger, second).keep_alive_seconds == 600
    assert beat(ledger, second.uuid, keep_alive_seconds=None).alive_until is None
    ledger.clock.move(1_000_000)
    assert abandoned(ledger) == []
    with pytest.raises(WrongState):
        beat(ledger, first.uuid, keep_alive_seconds=60)


@pytest.mark.parametrize(
    ("values", "access", "error"),
    [({}, SERVICE, WrongState), ({"keep_alive_seconds": 60, "owner": "blue"}, SEES_ONLY, Forbidden)],
)
def test_a_heartbeat_is_refused(ledger, values, access, error):
    made = allocate(ledger, **values)
    with pytest.raises(error):
        beat(ledger, made.uuid, access)


def test_a_heartbeat_for_a_missing_allocation_is_refused(ledger):
    gold(ledger)
    with pytest.raises(AllocationNotFound):
        beat(ledger, "no-such")
