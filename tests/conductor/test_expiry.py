"""Conductors end holds and allocations in time, never early, and each once."""

import uuid
from datetime import UTC, datetime

import httpx
import pytest

from dibs.access.access import SERVICE
from dibs.conductor import Conductor
from dibs.conductor.expiry import COUNT_MAX, end_allocations, expire_holds
from dibs.database.errors import StoreContended
from dibs.database.runner import Runner
from dibs.drivers.fake import FakeDriver
from dibs.machines.model.errors import HoldNotFound
from dibs.machines.operations.holds import CreateHold, create_hold, get_hold
from dibs.wiring.hooks import HOOKS
from tests.allocation_builders import allocate, allocate_node, force, show
from tests.bed.waiting import eventually
from tests.races.crowd import all_at_once


def hold(ledger, node, seconds=60):
    command = CreateHold(uuid=str(uuid.uuid4()), instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=seconds)
    return ledger.runner.write(create_hold, SERVICE, command)


def free(ledger, node):
    return ledger.unit(node)["used"] == 0


def test_running_conductor_frees_a_node_when_its_hold_expires(ledger):
    conductor = Conductor(
        ledger.runner, {"fake-hardware": FakeDriver()}, ledger.clock, hostname="conductor-1", poll_seconds=0.02
    )
    short, long = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    ended, kept = hold(ledger, short), hold(ledger, long, 3600)
    conductor.start()
    try:
        ledger.clock.move(60)
        eventually(lambda: free(ledger, short), what="the node to be free")
    finally:
        conductor.stop()
    assert not free(ledger, long)
    assert ledger.runner.read(get_hold, SERVICE, kept.uuid) == kept
    with pytest.raises(HoldNotFound):
        ledger.runner.read(get_hold, SERVICE, ended.uuid)


def test_hold_is_not_ended_early(ledger):
    node = ledger.enrol(resource_class="gold")
    hold(ledger, node)
    ledger.clock.move(59.9)
    assert expire_holds(ledger.runner) == 0
    ledger.clock.move(0.1)
    assert expire_holds(ledger.runner) == 1
    assert free(ledger, node)


def test_concurrent_conductors_end_each_hold_once(ledger):
    nodes = [ledger.enrol(resource_class="gold") for _ in range(5)]
    for node in nodes:
        hold(ledger, node)
    ledger.clock.move(60)
    answers = all_at_once(8, lambda _: expire_holds(ledger.runner))
    assert sum(answers) == 5, answers
    assert all(free(ledger, node) for node in nodes)


def test_one_run_ends_a_limited_number_of_holds(ledger):
    for _ in range(COUNT_MAX + 1):
        hold(ledger, ledger.enrol())
    ledger.clock.move(60)
    assert [expire_holds(ledger.runner) for _ in range(3)] == [COUNT_MAX, 1, 0]


def test_server_frees_a_node_soon_after_the_expiry_and_never_before(server):
    nodes = f"{server.url}/baremetal/v1/nodes"
    with httpx.Client(headers={"X-OpenStack-Ironic-API-Version": "1.37"}, timeout=20) as client:
        old = {"X-OpenStack-Ironic-API-Version": "1.10"}
        node = client.post(nodes, json={"driver": "fake-hardware"}, headers=old).json()["uuid"]
        body = {"instance_uuid": str(uuid.uuid4()), "node_uuid": [node], "ttl_seconds": 1}
        made = client.post(f"{server.url}/baremetal/v1/reservations", json=body).json()["reservation"]
        end = datetime.fromisoformat(made["expires_at"])

        def seen_free():
            free = client.get(nodes, params={"associated": "false", "provision_state": "available"}).json()["nodes"]
            return datetime.now(UTC) if free else None

        assert eventually(seen_free, what="the node to be free") >= end
        assert client.get(f"{server.url}/baremetal/v1/reservations/{made['uuid']}").status_code == 404


@pytest.mark.parametrize("error", [RuntimeError("broken"), StoreContended(attempts=12)])
def test_hold_that_cannot_be_ended_does_not_delay_the_others(ledger, caplog, error):
    stuck, other = (ledger.enrol(resource_class="gold") for _ in range(2))
    made = hold(ledger, stuck)
    hold(ledger, other)
    ledger.clock.move(60)

    class Broken(Runner):
        def write(self, operation, access, command):
            if command == made.uuid:
                raise error
            return super().write(operation, access, command)

    assert expire_holds(Broken(ledger.store, ledger.clock, HOOKS)) == 1
    assert (free(ledger, stuck), free(ledger, other)) == (False, True)
    assert made.uuid not in caplog.text


def test_only_overdue_allocations_end_and_a_busy_node_holds_up_none(ledger):
    overdue = allocate(ledger, keep_alive_seconds=60)
    busy, node = allocate_node(ledger, keep_alive_seconds=60)
    force(ledger, node, reservation="conductor-1")
    ledger.clock.move(61)
    ledger.revive_conductor()
    alive = allocate(ledger, keep_alive_seconds=60)
    assert end_allocations(ledger.runner) == 1
    assert [show(ledger, each).state for each in (overdue, busy, alive)] == ["error", "active", "allocating"]
    assert end_allocations(ledger.runner) == 0
