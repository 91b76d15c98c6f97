"""A real conductor serves requests for a node, from the asking to the end."""

import threading
import uuid

import pytest

from dibs.conductor import Conductor
from dibs.domain.actor import SERVICE
from dibs.domain.conductors import TIMEOUT_SECONDS
from dibs.domain.errors import StoreUnavailable
from dibs.drivers.fake import FakeDriver
from dibs.usecases.conductors import RegisterConductor, register_conductor
from dibs.usecases.provision import RequestProvision, request_provision
from dibs.usecases.runner import Runner
from tests.bed.waiting import eventually
from tests.builders import allow
from tests.usecases.test_node_requests import ask, force, give_back, holders, show


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


def settled(ledger, request):
    """Wait until a request has ended one way or the other."""

    def done():
        found = show(ledger, request)
        assert found.state != "allocating"
        return found

    return eventually(done, what="a request that is settled")


def provision(ledger, node, verb, state):
    """Ask for a verb and wait until the node is at rest where that leads."""
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, guard=allow, verb=verb))

    def there():
        found = ledger.node(node)
        assert (found.provision_state, found.reservation) == (state, None)
        return found

    return eventually(there, what=f"node in state {state}")


def test_a_request_gets_a_node_and_loses_it_with_the_tear_down(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    request = settled(ledger, ask(ledger, traits=("CUSTOM_A",)))
    assert (request.state, request.node_uuid) == ("active", node.uuid)
    assert provision(ledger, node, "active", "active").instance_uuid == request.uuid
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info, holders(ledger, node)) == (None, {}, [])
    assert settled(ledger, ask(ledger, uuid=request.uuid)).node_uuid == node.uuid


def test_a_sticky_request_keeps_its_node_through_a_tear_down(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    request = settled(ledger, ask(ledger, traits=("CUSTOM_A",), sticky=True))
    provision(ledger, node, "active", "active")
    after = provision(ledger, node, "deleted", "available")
    assert (after.instance_uuid, after.instance_info) == (request.uuid, {"traits": ["CUSTOM_A"]})
    assert (show(ledger, request).node_uuid, holders(ledger, node)) == (node.uuid, [request.uuid])
    provision(ledger, node, "active", "active")
    assert settled(ledger, ask(ledger)).last_error == "1 node of class gold: 1 in use"


def test_a_request_without_a_node_fails_with_the_reasons(ledger, start):
    start()
    ledger.enrol(resource_class="gold", maintenance=True)
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    request = settled(ledger, ask(ledger))
    assert (request.state, request.node_uuid) == ("error", None)
    assert request.last_error == "3 nodes of class gold: 2 in use, 1 in maintenance"


def test_a_request_that_waits_gets_the_node_that_is_given_back(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    first = settled(ledger, ask(ledger))
    second, third = ask(ledger, wait_seconds=3600), ask(ledger, wait_seconds=3600)
    give_back(ledger, first)
    assert settled(ledger, second).node_uuid == node.uuid
    assert show(ledger, third).state == "allocating"
    give_back(ledger, second)
    assert settled(ledger, third).node_uuid == node.uuid


def test_many_who_cannot_be_served_do_not_hide_those_who_can(ledger, start):
    start()
    for _ in range(40):
        ask(ledger, wait_seconds=3600, traits=("CUSTOM_NONE",))
    last = ask(ledger, wait_seconds=3600)
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, last).node_uuid == node.uuid


def test_a_request_that_waits_gives_up_at_its_deadline(ledger, start):
    start()
    request = ask(ledger, wait_seconds=3600)
    ledger.clock.move(3601)
    assert settled(ledger, request).last_error == "no nodes of class gold"


def test_a_locked_node_is_given_once_it_is_unlocked(ledger, start):
    start()
    node = ledger.enrol(resource_class="gold")
    force(ledger, node, reservation="conductor-1")
    request = ask(ledger)
    force(ledger, node, reservation=None)
    assert settled(ledger, request).node_uuid == node.uuid


def test_a_request_whose_uuid_became_an_instance_elsewhere_fails(ledger, start):
    ledger.enrol(resource_class="gold")
    request = ask(ledger)
    ledger.enrol(resource_class="tin", instance_uuid=request.uuid)
    start()
    assert "already associated" in settled(ledger, request).last_error


def test_requests_of_a_conductor_that_was_away_are_served_at_its_next_start(ledger, start):
    node = ledger.enrol(resource_class="gold")
    request = ask(ledger)
    start(take_over_seconds=0)
    assert settled(ledger, request).node_uuid == node.uuid


def test_requests_of_a_dead_conductor_are_served_by_another(ledger, start):
    node = ledger.enrol(resource_class="gold")
    request = ask(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    start("heir")
    assert settled(ledger, request).node_uuid == node.uuid


def test_with_take_over_switched_off_requests_of_the_dead_stay(ledger, start):
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

    def write(self, use_case, actor, command):
        if self.away.is_set() and use_case.__name__ == "try_node":
            self.away.clear()
            raise StoreUnavailable
        return super().write(use_case, actor, command)


def test_a_request_outlives_a_database_that_goes_away(ledger, start):
    moody = Moody(ledger.store, ledger.clock)
    moody.away.set()
    start(runner=moody)
    node = ledger.enrol(resource_class="gold")
    assert settled(ledger, ask(ledger)).node_uuid == node.uuid
    assert not moody.away.is_set()
