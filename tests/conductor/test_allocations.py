"""A real conductor serves allocations for a node, from the asking to the end."""

import threading
import uuid
from collections import Counter

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.operations.allocations import UpdateAllocation, update_allocation
from dibs.allocations.operations.granting import grant_nodes
from dibs.conductor import Conductor, entries
from dibs.database.errors import StoreUnavailable
from dibs.database.runner import Runner
from dibs.documents.json_patch import PatchOperation
from dibs.drivers.fake import FakeDriver
from dibs.ledger.operations.claims import release_claims
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.holds import OneHold, delete_hold
from dibs.machines.operations.node_traits import AddTrait, add_trait
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.settings import Settings
from dibs.wiring import HOOKS
from tests.allocation_builders import ask, ask_batch, force, holders, release, show
from tests.bed.waiting import eventually
from tests.hold_builders import BLUE, claim, hold
from tests.lease_builders import delete, lease, register, whole


@pytest.fixture
def start(ledger):
    """Start conductors that look for work often and take over at once; all are stopped in the end."""
    running = []

    def start(hostname="conductor-1", *, runner=None, **settings):
        settings = {"heartbeat_seconds": 0.05, "take_over_seconds": 1e-6, "poll_seconds": 0.02, **settings}
        drivers = {"fake-hardware": FakeDriver()}
        conductor = Conductor(runner or ledger.runner, drivers, ledger.clock, hostname=hostname, **settings)
        running.append(conductor)
        conductor.start()
        return conductor

    yield start
    for conductor in running:
        conductor.stop()


def settled(ledger, allocation):
    """Wait until an allocation has ended one way or the other."""

    def done():
        found = show(ledger, allocation)
        assert found.state != "allocating"
        return found

    return eventually(done, what="an allocation that is settled")


def provision(ledger, node, verb, state):
    """Ask for a verb and wait until the node is at rest where that leads."""
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb=verb))

    def there():
        found = ledger.node(node)
        assert (found.provision_state, found.reservation) == (state, None)
        return found

    return eventually(there, what=f"node in state {state}")


def test_an_allocation_gets_a_node_and_loses_it_with_the_tear_down(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    allocation = settled(ledger, ask(ledger, traits=("CUSTOM_A",)))
    assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
    assert provision(ledger, node, "active", "active").instance_uuid == allocation.uuid
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info, holders(ledger, node)) == (None, {}, [])
    assert settled(ledger, ask(ledger, uuid=allocation.uuid)).node_uuid == node.uuid


def test_a_sticky_allocation_keeps_its_node_through_a_tear_down(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    allocation = settled(ledger, ask(ledger, traits=("CUSTOM_A",), sticky=True))
    provision(ledger, node, "active", "active")
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info) == (allocation.uuid, {"traits": ["CUSTOM_A"]})
    assert (show(ledger, allocation).node_uuid, holders(ledger, node)) == (node.uuid, [allocation.uuid])
    provision(ledger, node, "active", "active")
    assert settled(ledger, ask(ledger)).last_error == "1 node of class gold: 1 in use"


def test_an_allocation_without_a_node_fails_with_the_reasons(ledger, start):
    start()
    ledger.enrol(resource_class="gold", maintenance=True)
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    allocation = settled(ledger, ask(ledger))
    assert (allocation.state, allocation.node_uuid) == ("error", None)
    assert allocation.last_error == "3 nodes of class gold: 2 in use, 1 in maintenance"


def test_an_allocation_that_waits_gets_the_node_that_is_given_back(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    first = settled(ledger, ask(ledger))
    second, third = ask(ledger, wait_seconds=3600), ask(ledger, wait_seconds=3600)
    release(ledger, first)
    assert settled(ledger, second).node_uuid == node.uuid
    assert show(ledger, third).state == "allocating"
    release(ledger, second)
    assert settled(ledger, third).node_uuid == node.uuid


NEVER = 3600.0
"""How often a conductor looks that is to be woken, or the test fails."""


def waits(conductor, allocation):
    """Wake a conductor, as whoever asked would, and wait until it has seen that somebody waits."""
    conductor.wake()
    eventually(lambda: conductor._allocations.any_waiting, what="a waiting allocation")
    return allocation


def test_the_youngest_of_many_is_served_the_moment_the_node_that_only_it_can_use_is_freed(ledger, start):
    conductor = start(poll_seconds=NEVER)
    node, first = served(ledger)
    for number in range(200):
        ask(ledger, wait_seconds=3600, traits=(f"CUSTOM_{number}",))
    youngest = waits(conductor, ask(ledger, wait_seconds=3600))
    release(ledger, first)
    assert settled(ledger, youngest).node_uuid == node.uuid


def served(ledger):
    """A node, and the allocation that has it."""
    node = ledger.enrol(resource_class="gold", state="active")
    allocation = ask(ledger, node=node.uuid)
    force(ledger, node, provision_state="available")
    return node, allocation


def test_of_equals_the_oldest_is_served_first(ledger, start):
    conductor = start(poll_seconds=NEVER)
    waiting = [ask(ledger, wait_seconds=3600) for _ in range(30)]
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
    return lambda: ledger.runner.write(delete_hold, BLUE, OneHold(uuid=made.uuid))


def by_lease(ledger):
    """Booked for later: the node is free, and nobody's but the lease's."""
    register(ledger, ledger.enrol(resource_class="gold"))
    made = lease(ledger, 1, 2, whole())
    return lambda: delete(ledger, made)


def by_enrolling(ledger):
    return lambda: ledger.enrol(resource_class="gold")


WAYS = (by_maintenance, by_provision, by_class, by_instance, by_claim, by_hold, by_lease, by_enrolling)


@pytest.mark.parametrize("way", WAYS)
def test_whatever_frees_a_node_serves_who_waits_for_it_at_once(ledger, start, way):
    conductor = start(poll_seconds=NEVER)
    free = way(ledger)
    allocation = waits(conductor, ask(ledger, wait_seconds=3600))
    free()
    if way is by_provision:
        conductor.wake()  # As the handler does whose allocation begins work.
    assert settled(ledger, allocation).state == "active"


def test_a_node_that_gains_a_trait_serves_who_waits_for_it_at_once(ledger, start):
    conductor = start(poll_seconds=NEVER)
    node = ledger.enrol(resource_class="gold")
    allocation = waits(conductor, ask(ledger, wait_seconds=3600, traits=("CUSTOM_A",)))
    ledger.runner.write(add_trait, SERVICE, AddTrait(ident=node.uuid, rules=(), trait="CUSTOM_A"))
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_a_hold_that_ends_serves_who_waits_for_its_node(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    hold(ledger, node, seconds=60)
    allocation = ask(ledger, wait_seconds=3600)
    ledger.clock.move(61)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_many_batches_that_wait_in_vain_hold_up_nobody(ledger, start):
    start()
    nodes = [ledger.enrol(resource_class="gold", maintenance=True) for _ in range(2)]
    for _ in range(40):
        ask_batch(ledger, 2, wait_seconds=3600)
    silver = ledger.enrol(resource_class="silver")
    assert settled(ledger, ask(ledger, resource_class="silver")).node_uuid == silver.uuid
    ledger.change(nodes[0], maintenance=False)
    assert settled(ledger, ask(ledger)).last_error.startswith("2 nodes of class gold: ")


# --- who does not wait ---


class Counting(Runner):
    """Counts how often each use case ran, and about which order."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.ran = Counter()

    def read(self, operation, access, command):
        entry = getattr(command, "entry", None)
        if entry is not None:
            self.ran[operation.__name__, entry.key] += 1
        return super().read(operation, access, command)


def test_when_no_node_is_locked_or_promised_the_first_look_is_the_answer(ledger, start):
    counting = Counting(ledger.store, ledger.clock, HOOKS)
    start(runner=counting)
    ledger.enrol(resource_class="gold", maintenance=True)
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    hold(ledger, ledger.enrol(resource_class="gold"))
    ledger.enrol(resource_class="tin")
    allocation = settled(ledger, ask(ledger))
    assert allocation.last_error.startswith("3 nodes of class gold: ")
    assert counting.ran == {("match_entry", allocation.uuid): 1}


def test_while_nodes_are_locked_an_allocation_is_tried_again_as_often_as_the_specification_says(
    ledger, start, monkeypatch
):
    """A patch in between gives it no more tries."""
    monkeypatch.setattr(entries, "LOCK_RETRY_SECONDS", 0.01)
    counting = Counting(ledger.store, ledger.clock, HOOKS)
    start(runner=counting)
    force(ledger, ledger.enrol(resource_class="gold"), reservation="conductor-1")
    allocation = ask(ledger)

    def patched_and_settled():
        patch = (PatchOperation("add", "/extra/n", ledger.clock()),)
        ledger.runner.write(update_allocation, SERVICE, UpdateAllocation(ident=allocation.uuid, patch=patch))
        return show(ledger, allocation).state != "allocating"

    eventually(patched_and_settled)
    assert show(ledger, allocation).last_error == "1 node of class gold: 1 locked"
    assert counting.ran["match_entry", allocation.uuid] == 1 + entries.LOCK_RETRIES


def test_many_who_find_only_locked_nodes_let_those_behind_go_first(ledger, start, monkeypatch):
    monkeypatch.setattr(entries, "LOCK_RETRY_SECONDS", NEVER)
    start()
    force(ledger, ledger.enrol(resource_class="tin"), reservation="conductor-1")
    for _ in range(60):
        ask(ledger, resource_class="tin")
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, ask(ledger)).node_uuid == node.uuid


def test_an_allocation_that_waits_gives_up_at_its_deadline(ledger, start):
    start()
    allocation = ask(ledger, wait_seconds=3600)
    ledger.clock.move(3601)
    assert settled(ledger, allocation).last_error == "no nodes of class gold"


def test_a_locked_node_is_given_once_it_is_unlocked(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    force(ledger, node, reservation="conductor-1")
    allocation = ask(ledger)
    force(ledger, node, reservation=None)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_an_allocation_whose_uuid_became_an_instance_elsewhere_fails(ledger, start):
    ledger.enrol(resource_class="gold")
    allocation = ask(ledger)
    ledger.enrol(resource_class="tin", instance_uuid=allocation.uuid)
    start()
    assert "already associated" in settled(ledger, allocation).last_error


def test_allocations_of_a_conductor_that_was_away_are_served_at_its_next_start(ledger, start):
    node = ledger.enrol(resource_class="gold")
    allocation = ask(ledger)
    start(take_over_seconds=0)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocations_of_a_dead_conductor_are_served_by_another(ledger, start):
    node = ledger.enrol(resource_class="gold")
    allocation = ask(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    start("heir")
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_allocations_of_a_dead_conductor_are_settled_within_one_take_over_period(ledger, start):
    """With the settings as they come; the last heartbeat of the dead one was the moment before it died."""
    settings = Settings()
    node = ledger.enrol(resource_class="gold")
    allocation = ask(ledger)
    start("heir", take_over_seconds=settings.take_over_seconds, timeout_seconds=settings.conductor_timeout_seconds)
    ledger.clock.move(settings.take_over_seconds - 1)
    assert settled(ledger, allocation).node_uuid == node.uuid


def test_with_take_over_switched_off_allocations_of_the_dead_stay(ledger, start):
    ledger.enrol(resource_class="gold")
    orphan = ask(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    start("heir", take_over_seconds=0)
    settled(ledger, ask(ledger, resource_class="tin"))
    assert show(ledger, orphan).state == "allocating"
    registration = RegisterConductor(hostname="conductor-1", group="", drivers=(), incarnation=str(uuid.uuid4()))
    ledger.runner.write(register_conductor, SERVICE, registration)
    assert show(ledger, orphan).state == "allocating"


class Moody(Runner):
    """A database that is away for a while in the middle of the work."""

    away = threading.Event()

    def write(self, operation, access, command):
        if self.away.is_set() and operation is grant_nodes:
            self.away.clear()
            raise StoreUnavailable
        return super().write(operation, access, command)


def test_an_allocation_outlives_a_database_that_goes_away(ledger, start):
    moody = Moody(ledger.store, ledger.clock, HOOKS)
    moody.away.set()
    start(runner=moody)
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, ask(ledger)).node_uuid == node.uuid
    assert not moody.away.is_set()
