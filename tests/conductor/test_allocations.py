"""A running conductor finds nodes for allocations: queue, match, grant, outcome."""

import threading
import uuid
from collections import Counter

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.operations.allocations import UpdateAllocation, update_allocation
from dibs.allocations.operations.granting import grant_nodes
from dibs.allocations.operations.queue import list_ready_entries
from dibs.conductor import allocations, entries
from dibs.database.errors import StoreUnavailable
from dibs.database.runner import Runner
from dibs.documents.json_patch import PatchOperation
from dibs.events.operations.listing import count_events
from dibs.ledger.operations.claims import release_claims
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.holds import delete_hold
from dibs.machines.operations.node_traits import AddTrait, add_trait
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.settings import Settings
from dibs.wiring.hooks import HOOKS
from tests.allocation_builders import allocate, allocate_batch, force, holders, release, show
from tests.bed.waiting import eventually
from tests.hold_builders import BLUE, claim, hold
from tests.lease_builders import delete, lease, register, whole


def settled(ledger, allocation):
    """Wait until an allocation has ended one way or the other."""

    def done():
        found = show(ledger, allocation)
        assert found.state != "allocating"
        return found

    return eventually(done, what="an allocation that is settled")


def provision(ledger, node, verb, state):
    """Request a verb and wait until the node has reached the state."""
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb=verb))

    def there():
        found = ledger.node(node)
        assert (found.provision_state, found.reservation) == (state, None)
        return found

    return eventually(there, what=f"node in state {state}")


def test_allocation_gets_a_node_and_ends_with_the_teardown(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    allocation = settled(ledger, allocate(ledger, traits=("CUSTOM_A",)))
    assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
    assert provision(ledger, node, "active", "active").instance_uuid == allocation.uuid
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info, holders(ledger, node)) == (None, {}, [])
    assert settled(ledger, allocate(ledger, uuid=allocation.uuid)).node_uuid == node.uuid


def test_sticky_allocation_keeps_its_node_through_a_teardown(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    allocation = settled(ledger, allocate(ledger, traits=("CUSTOM_A",), sticky=True))
    provision(ledger, node, "active", "active")
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info) == (allocation.uuid, {"traits": ["CUSTOM_A"]})
    assert (show(ledger, allocation).node_uuid, holders(ledger, node)) == (node.uuid, [allocation.uuid])
    provision(ledger, node, "active", "active")
    assert settled(ledger, allocate(ledger)).last_error == "1 node of class gold: 1 in use"


def test_allocation_without_a_node_fails_with_the_reasons(ledger, start):
    start()
    ledger.enrol(resource_class="gold", maintenance=True)
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    allocation = settled(ledger, allocate(ledger))
    assert (allocation.state, allocation.node_uuid) == ("error", None)
    assert allocation.last_error == "3 nodes of class gold: 2 in use, 1 in maintenance"


def test_waiting_allocation_gets_the_released_node(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    first = settled(ledger, allocate(ledger))
    second, third = allocate(ledger, wait_seconds=3600), allocate(ledger, wait_seconds=3600)
    release(ledger, first)
    assert settled(ledger, second).node_uuid == node.uuid
    assert show(ledger, third).state == "allocating"
    release(ledger, second)
    assert settled(ledger, third).node_uuid == node.uuid


NEVER = 3600.0
"""The poll interval of a conductor that must be woken, or the test fails."""


def waits(conductor, allocation):
    """Wake a conductor, as the intake does, and wait until it has seen the waiting allocation."""
    conductor.wake()
    eventually(lambda: conductor._allocations.any_waiting, what="a waiting allocation")
    return allocation


def test_only_allocation_that_accepts_the_freed_node_gets_it_at_once(ledger, start):
    conductor = start(poll_seconds=NEVER)
    node, first = served(ledger)
    for number in range(200):
        allocate(ledger, wait_seconds=3600, traits=(f"CUSTOM_{number}",))
    youngest = waits(conductor, allocate(ledger, wait_seconds=3600))
    release(ledger, first)
    assert settled(ledger, youngest).node_uuid == node.uuid


def served(ledger):
    """Return a node and the allocation that has it."""
    node = ledger.enrol(resource_class="gold", state="active")
    allocation = allocate(ledger, node=node.uuid)
    force(ledger, node, provision_state="available")
    return node, allocation


def test_equal_allocations_get_nodes_in_queue_order(ledger, start):
    conductor = start(poll_seconds=NEVER)
    waiting = [allocate(ledger, wait_seconds=3600) for _ in range(30)]
    waits(conductor, waiting[0])
    for place in range(30):
        ledger.enrol(resource_class="gold")
        assert settled(ledger, waiting[place]).state == "active"
        assert {show(ledger, each).state for each in waiting[place + 1 :]} <= {"allocating"}


def by_maintenance(ledger):
    node = ledger.enrol(resource_class="gold", maintenance=True)
    command = SetMaintenance(ident=node.uuid, rules=(), on=False)
    return lambda: ledger.runner.write(set_maintenance, SERVICE, command)


def by_provision(ledger):
    node = ledger.enrol(resource_class="gold", state="manageable")
    command = RequestProvision(ident=node.uuid, rules=(), verb="provide")
    return lambda: ledger.runner.write(request_provision, SERVICE, command)


def by_class(ledger):
    node = ledger.enrol(resource_class="tin")
    return lambda: ledger.change(node, resource_class="gold")


def by_instance(ledger):
    node = ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    return lambda: ledger.change(node, instance_uuid=None)


def by_claim(ledger):
    node, consumer = ledger.enrol(resource_class="gold"), str(uuid.uuid4())
    claim(ledger, node, consumer)
    return lambda: ledger.runner.write(release_claims, SERVICE, consumer)


def by_hold(ledger):
    made = hold(ledger, ledger.enrol(resource_class="gold"))
    return lambda: ledger.runner.write(delete_hold, BLUE, made.uuid)


def by_lease(ledger):
    """A node that is free now and booked by a lease for later."""
    register(ledger, ledger.enrol(resource_class="gold"))
    made = lease(ledger, 1, 2, whole())
    return lambda: delete(ledger, made)


def by_enrolling(ledger):
    return lambda: ledger.enrol(resource_class="gold")


WAYS = (by_maintenance, by_provision, by_class, by_instance, by_claim, by_hold, by_lease, by_enrolling)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_freeing_a_node_wakes_the_conductor(ledger, start, way):
    conductor = start(poll_seconds=NEVER)
    free = way(ledger)
    allocation = waits(conductor, allocate(ledger, wait_seconds=3600))
    free()
    if way is by_provision:
        conductor.wake()  # As the handler of the provision request does.
    assert settled(ledger, allocation).state == "active"


def test_node_that_gains_a_trait_wakes_the_conductor(ledger, start):
    conductor = start(poll_seconds=NEVER)
    node = ledger.enrol(resource_class="gold")
    allocation = waits(conductor, allocate(ledger, wait_seconds=3600, traits=("CUSTOM_A",)))
    ledger.runner.write(add_trait, SERVICE, AddTrait(ident=node.uuid, rules=(), trait="CUSTOM_A"))
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_queue_is_not_simulated_again_while_nothing_changes(ledger, start, monkeypatch):
    monkeypatch.setattr(allocations, "LOOK_SECONDS", NEVER)
    counting = Counting(ledger.store, ledger.clock, HOOKS)
    conductor = start(runner=counting)
    waits(conductor, allocate(ledger, wait_seconds=3600))

    def polls(count):
        polled = counting.reads[count_events] + count
        eventually(lambda: counting.reads[count_events] >= polled, what=f"{count} polls")
        return counting.reads[list_ready_entries]

    before = polls(3)
    assert polls(10) == before
    node = ledger.enrol(resource_class="gold")  # By another process: this runner is not the conductor's.
    eventually(lambda: holders(ledger, node), what="the node of the waiting allocation")


def test_waiting_allocation_gets_the_node_of_an_expired_hold(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    hold(ledger, node, seconds=60)
    allocation = allocate(ledger, wait_seconds=3600)
    ledger.clock.move(61)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_many_batches_that_wait_in_vain_delay_no_other_allocation(ledger, start):
    start()
    nodes = [ledger.enrol(resource_class="gold", maintenance=True) for _ in range(2)]
    for _ in range(40):
        allocate_batch(ledger, 2, wait_seconds=3600)
    silver = ledger.enrol(resource_class="silver")
    assert settled(ledger, allocate(ledger, resource_class="silver")).node_uuid == silver.uuid
    ledger.change(nodes[0], maintenance=False)
    assert settled(ledger, allocate(ledger)).last_error.startswith("2 nodes of class gold: ")


# --- allocations that do not wait ---


class Counting(Runner):
    """Counts how often each operation ran for each queue entry, and how often each read ran at all."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.ran = Counter()
        self.reads = Counter()

    def read(self, operation, access, command):
        self.reads[operation] += 1
        entry = getattr(command, "entry", None)
        if entry is not None:
            self.ran[operation.__name__, entry.key] += 1
        return super().read(operation, access, command)


def test_allocation_is_matched_once_when_no_node_is_locked_or_promised(ledger, start):
    counting = Counting(ledger.store, ledger.clock, HOOKS)
    start(runner=counting)
    ledger.enrol(resource_class="gold", maintenance=True)
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    hold(ledger, ledger.enrol(resource_class="gold"))
    ledger.enrol(resource_class="tin")
    allocation = settled(ledger, allocate(ledger))
    assert allocation.last_error.startswith("3 nodes of class gold: ")
    assert counting.ran == {("match_entry", allocation.uuid): 1}


def test_allocation_with_only_locked_nodes_is_retried_as_often_as_the_specification_says(ledger, start, monkeypatch):
    """A patch in between adds no retries."""
    monkeypatch.setattr(entries, "LOCK_RETRY_SECONDS", 0.01)
    counting = Counting(ledger.store, ledger.clock, HOOKS)
    start(runner=counting)
    force(ledger, ledger.enrol(resource_class="gold"), reservation="conductor-1")
    allocation = allocate(ledger)

    def patched_and_settled():
        patch = (PatchOperation("add", "/extra/n", ledger.clock()),)
        ledger.runner.write(update_allocation, SERVICE, UpdateAllocation(ident=allocation.uuid, patch=patch))
        return show(ledger, allocation).state != "allocating"

    eventually(patched_and_settled)
    assert show(ledger, allocation).last_error == "1 node of class gold: 1 locked"
    assert counting.ran["match_entry", allocation.uuid] == 1 + entries.LOCK_RETRIES


def test_allocations_with_only_locked_nodes_let_later_ones_go_first(ledger, start, monkeypatch):
    monkeypatch.setattr(entries, "LOCK_RETRY_SECONDS", NEVER)
    start()
    force(ledger, ledger.enrol(resource_class="tin"), reservation="conductor-1")
    for _ in range(60):
        allocate(ledger, resource_class="tin")
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, allocate(ledger)).node_uuid == node.uuid


def test_waiting_allocation_fails_at_its_deadline(ledger, start):
    start()
    allocation = allocate(ledger, wait_seconds=3600)
    ledger.clock.move(3601)
    assert settled(ledger, allocation).last_error == "no nodes of class gold"


def test_locked_node_is_granted_when_it_is_unlocked(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    force(ledger, node, reservation="conductor-1")
    allocation = allocate(ledger)
    force(ledger, node, reservation=None)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocation_whose_uuid_became_the_instance_of_another_node_fails(ledger, start):
    ledger.enrol(resource_class="gold")
    allocation = allocate(ledger)
    ledger.enrol(resource_class="tin", instance_uuid=allocation.uuid)
    start()
    assert "already associated" in settled(ledger, allocation).last_error


def test_allocations_that_wait_for_the_conductor_are_granted_together(ledger, start, monkeypatch):
    monkeypatch.setattr(allocations.AllocationWorker, "_work_on", None)  # Not one by one.
    made = [allocate(ledger) for _ in range(20) if ledger.enrol(resource_class="gold")]
    start()
    assert {settled(ledger, each).state for each in made} == {"active"}


def test_allocation_that_cannot_be_granted_holds_up_none_of_those_with_it(ledger, start):
    made = [allocate(ledger) for _ in range(5) if ledger.enrol(resource_class="gold")]
    ledger.enrol(resource_class="tin", instance_uuid=made[2].uuid)
    start()
    states = [settled(ledger, each).state for each in made]
    assert states == ["active", "active", "error", "active", "active"]
    assert "already associated" in show(ledger, made[2]).last_error


def test_conductor_that_restarts_finds_nodes_for_its_own_allocations(ledger, start):
    node = ledger.enrol(resource_class="gold")
    allocation = allocate(ledger)
    start(take_over_seconds=0)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocation_of_a_failed_conductor_gets_a_node_from_another(ledger, start):
    node = ledger.enrol(resource_class="gold")
    allocation = allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    start("successor")
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocation_of_a_failed_conductor_is_settled_within_one_take_over_period(ledger, start):
    """With default settings; the last heartbeat was sent just before the failure."""
    settings = Settings()
    node = ledger.enrol(resource_class="gold")
    allocation = allocate(ledger)
    start("successor", take_over_seconds=settings.take_over_seconds, timeout_seconds=settings.conductor_timeout_seconds)
    ledger.clock.move(settings.take_over_seconds - 1)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocations_of_a_failed_conductor_stay_when_take_over_is_off(ledger, start):
    ledger.enrol(resource_class="gold")
    orphan = allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    start("successor", take_over_seconds=0)
    settled(ledger, allocate(ledger, resource_class="tin"))
    assert show(ledger, orphan).state == "allocating"
    registration = RegisterConductor(hostname="conductor-1", group="", drivers=(), incarnation=str(uuid.uuid4()))
    ledger.runner.write(register_conductor, SERVICE, registration)
    assert show(ledger, orphan).state == "allocating"


class Interrupted(Runner):
    """A database that cannot be reached at the first grant."""

    lost = threading.Event()

    def write(self, operation, access, command):
        if self.lost.is_set() and operation is grant_nodes:
            self.lost.clear()
            raise StoreUnavailable
        return super().write(operation, access, command)


def test_allocation_gets_its_node_after_the_database_was_lost(ledger, start):
    interrupted = Interrupted(ledger.store, ledger.clock, HOOKS)
    interrupted.lost.set()
    start(runner=interrupted)
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, allocate(ledger)).node_uuid == node.uuid
    assert not interrupted.lost.is_set()
