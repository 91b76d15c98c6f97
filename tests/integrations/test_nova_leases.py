"""Leases with a real Nova from start to end, also while Nova cannot be reached and conductors are killed."""

import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.conductor.outbox import OutboxRunner
from dibs.database import open_store
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.leases import ACTIVE, PENDING, STARTING, TERMINATED, TERMINATING
from dibs.leases.model.outbox import CALL_SECONDS
from dibs.leases.operations.outbox import list_outbox_calls
from dibs.leases.operations.updates import ReservationUpdate
from dibs.wiring.hooks import build_runner, read_clock
from tests import lease_builders as leases
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.integrations import dying_conductor
from tests.integrations.conftest import PROJECT, Cloud, hosts, instances
from tests.integrations.real_nova import HOST

# One Nova for all tests; its databases are in MariaDB.
pytestmark = pytest.mark.needs_engine("mariadb")
ROOT = Path(__file__).parents[2]
HOUR = 3_600_000_000


def soon() -> str:
    """Return a date less than an hour ahead."""
    return (datetime.now(UTC) + timedelta(minutes=5)).strftime("%Y-%m-%d %H:%M")


def later() -> int:
    """Return the time in an hour."""
    return read_clock() + HOUR


def test_servers_of_a_lease_run_in_nova_until_it_ends(cloud: Cloud) -> None:
    lease = cloud.make_lease(instances(amount=1))
    flavor = lease["reservations"][0]["id"]
    cloud.until(lease, ACTIVE)
    assert cloud.nova.projects_of(flavor) == {PROJECT}

    first = cloud.nova.launch(flavor, PROJECT, user="member")
    eventually(lambda: cloud.nova.servers(status="ACTIVE") == {first}, 60, "a server that runs")
    assert cloud.nova.servers(node=HOST) == {first}
    second = cloud.nova.launch(flavor, PROJECT, user="member")
    eventually(lambda: cloud.nova.servers(status="ERROR") == {second}, 60, "no more than was reserved")

    cloud.end(lease)
    assert cloud.nova.servers() == set()
    assert flavor not in cloud.nova.flavors()


def test_server_without_a_lease_gets_no_host(cloud: Cloud) -> None:
    cloud.nova.connect().create_flavor(id="plain", name="plain", vcpus=1, ram=64, disk=0, is_public=False)
    refused = cloud.nova.launch("plain")
    eventually(lambda: cloud.nova.servers(status="ERROR") == {refused}, 60, "a server without a host")
    assert cloud.compute.clean_up(["plain"], []) is False
    eventually(lambda: cloud.compute.clean_up(["plain"], []), 60, "an end")


def test_project_of_a_whole_host_launches_servers_of_any_flavor(cloud: Cloud) -> None:
    lease = cloud.make_lease(hosts())
    cloud.until(lease, ACTIVE)
    cloud.nova.connect().create_flavor(id="any", name="any", vcpus=1, ram=64, disk=0)
    launched = cloud.nova.launch("any", PROJECT, user="member")
    eventually(lambda: cloud.nova.servers(status="ACTIVE", node=HOST) == {launched}, 60, "a server that runs")
    cloud.end(lease)
    assert cloud.nova.servers() == set()
    assert "any" in cloud.nova.flavors()
    cloud.nova.connect().delete_flavor("any")


def test_lease_is_terminated_when_its_servers_are_gone(cloud: Cloud) -> None:
    lease = cloud.make_lease(instances(amount=1), end=soon())
    cloud.until(lease, ACTIVE)
    flavor = lease["reservations"][0]["id"]
    cloud.nova.launch(flavor, PROJECT, user="member")
    eventually(lambda: cloud.nova.servers(status="ACTIVE"), 60, "a server that runs")

    store = open_store(cloud.dibs.database_url)
    LeaseWorker(build_runner(store, later), later, reassignment_seconds=0, cleaning_minutes=0).run()
    store.close()
    # The conductor of the server deletes the servers, which takes Nova some time, and the flavor after them.
    cloud.until(lease, TERMINATED)
    assert cloud.nova.servers() == set()
    assert flavor not in cloud.nova.flavors()
    cloud.end(lease)


def test_lease_waits_while_nova_cannot_be_reached(cloud: Cloud) -> None:
    cloud.gate.close()
    try:
        lease = cloud.make_lease(instances())
        cloud.until(lease, STARTING)
    finally:
        cloud.gate.open()
    cloud.until(lease, ACTIVE)
    flavor = lease["reservations"][0]["id"]
    assert cloud.nova.projects_of(flavor) == {PROJECT}

    cloud.gate.close()
    try:
        assert cloud.ask("DELETE", f"leases/{lease['id']}").status_code == 204
        cloud.until(lease, TERMINATING)
        assert flavor in cloud.nova.flavors()
    finally:
        cloud.gate.open()
    cloud.until(lease, "GONE")
    assert flavor not in cloud.nova.flavors()


def test_instances_of_a_flavor_of_nova_are_reserved(cloud: Cloud) -> None:
    specs = {"resources:VCPU": "3"}
    made = cloud.nova.connect().create_flavor(id="large", name="large", vcpus=2, ram=128, disk=0)
    cloud.nova.connect().create_flavor_extra_specs(made, specs)
    lease = cloud.make_lease({"resource_type": "flavor:instance", "flavor_id": "large", "amount": 1, "affinity": None})
    (part,) = lease["reservations"]
    assert (part["vcpus"], part["memory_mb"]) == (2, 128)
    cloud.until(lease, ACTIVE)
    theirs = cloud.nova.connect().get_flavor(part["id"], get_extra_specs=True)
    assert theirs.extra_specs.items() > specs.items()
    cloud.end(lease)
    cloud.nova.connect().delete_flavor("large")
    unknown = {"resource_type": "flavor:instance", "flavor_id": "large", "amount": 1, "affinity": None}
    body = {"name": "l", "start_date": "now", "end_date": "2092-05-01 12:00", "reservations": [unknown]}
    answer = cloud.ask("POST", "leases", body)
    assert (answer.status_code, answer.json()["error_message"]) == (400, "Flavor large could not be found.")


def test_lease_of_a_flavor_is_503_while_nova_cannot_be_reached(cloud: Cloud) -> None:
    part = {"resource_type": "flavor:instance", "flavor_id": "large", "amount": 1, "affinity": None}
    body = {"name": "l", "start_date": "now", "end_date": "2092-05-01 12:00", "reservations": [part]}
    cloud.gate.close()
    try:
        assert cloud.ask("POST", "leases", body).status_code == 503
    finally:
        cloud.gate.open()


def test_compute_dialect_is_not_served_beside_nova(cloud: Cloud) -> None:
    assert httpx.get(f"{cloud.dibs.url}/compute/v2.1/flavors").status_code == 404


# --- conductors in the process of the test ---

Die = Callable[[], None]


@pytest.fixture
def die(cloud: Cloud, ledger: Ledger, database_url: str) -> Die:
    """Kill a conductor after it made the next call and before it records the result."""

    def run() -> None:
        program = [sys.executable, "-m", dying_conductor.__name__, database_url]
        words = [*program, str(cloud.clouds_yaml), str(ledger.clock())]
        done = subprocess.run(words, cwd=ROOT, timeout=60, check=False)
        assert done.returncode == -signal.SIGKILL

    return run


@pytest.mark.one_engine
def test_call_whose_result_was_not_recorded_is_repeated_without_harm(cloud: Cloud, ledger: Ledger, die: Die) -> None:
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    outbox = OutboxRunner(ledger.runner, cloud.compute)
    leases.make_host(ledger)
    lease = leases.lease(ledger, 1, 2, leases.instances(1), rules=LeaseRules(external_compute=True))
    flavor = lease.reservations[0].uuid

    die()
    assert flavor in cloud.nova.flavors()
    assert outbox.run() == 0
    ledger.clock.move(CALL_SECONDS)
    assert outbox.run() == 1
    assert leases.shown(ledger, lease).status == PENDING

    ledger.clock.move((leases.at(1) - ledger.clock()) / 1_000_000)
    worker.run_events()
    die()
    assert leases.shown(ledger, lease).status == STARTING
    ledger.clock.move(CALL_SECONDS)
    assert outbox.run() == 1
    assert leases.shown(ledger, lease).status == ACTIVE
    assert cloud.nova.projects_of(flavor) == {leases.OWNER.actor.project}

    ledger.clock.move((leases.at(2) - ledger.clock()) / 1_000_000)
    worker.run_events()
    die()
    assert flavor not in cloud.nova.flavors()
    assert leases.shown(ledger, lease).status == TERMINATING
    ledger.clock.move(CALL_SECONDS)
    assert outbox.run() == 1
    assert leases.shown(ledger, lease).status == TERMINATED


@pytest.mark.one_engine
def test_calls_wait_while_the_compute_service_is_not_configured(ledger: Ledger) -> None:
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.instances(1), rules=LeaseRules(external_compute=True))
    assert OutboxRunner(ledger.runner, None).run() == 0
    ledger.clock.move(CALL_SECONDS)
    (call,) = ledger.runner.read(list_outbox_calls, SERVICE, 10)
    assert call.attempts == 1
    assert "needs the compute service" in str(call.last_error)


@pytest.mark.one_engine
def test_update_of_a_pending_lease_replaces_its_flavor(cloud: Cloud, ledger: Ledger) -> None:
    outbox = OutboxRunner(ledger.runner, cloud.compute)
    leases.make_host(ledger)
    lease = leases.lease(ledger, 1, 2, leases.instances(1), rules=LeaseRules(external_compute=True))
    (part,) = lease.reservations
    assert outbox.run() == 1
    leases.change(ledger, lease, ReservationUpdate(uuid=part.uuid, values={"resources": {"VCPU": 7}}))
    assert outbox.run() == 1
    assert cloud.nova.connect().get_flavor(part.uuid).vcpus == 7
    leases.delete(ledger, lease)
    assert outbox.run() == 1
    assert part.uuid not in cloud.nova.flavors()


@pytest.mark.one_engine
def test_servers_on_a_node_are_deleted_by_its_uuid(ledger: Ledger) -> None:
    node = ledger.enrol(name="n", resource_class="gold")
    leases.register(ledger, node)
    lease = leases.lease(ledger, 1, 2, leases.whole(), rules=LeaseRules(external_compute=True))
    ledger.clock.move((leases.at(1) - ledger.clock()) / 1_000_000)
    LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0).run_events()
    leases.delete(ledger, lease)
    (call,) = ledger.runner.read(list_outbox_calls, SERVICE, 10)
    assert call.arguments["hosts"] == [node.uuid]


@pytest.mark.one_engine
def test_lease_whose_flavors_were_never_created_can_end(cloud: Cloud, ledger: Ledger) -> None:
    outbox = OutboxRunner(ledger.runner, cloud.compute)
    leases.make_host(ledger)
    lease = leases.lease(ledger, 1, 2, leases.instances(1), rules=LeaseRules(external_compute=True))
    cloud.gate.close()
    try:
        assert outbox.run() == 0
        leases.delete(ledger, lease)
    finally:
        cloud.gate.open()
    ledger.clock.move(CALL_SECONDS)
    assert outbox.run() == 1
    assert leases.booked(ledger, lease) == {}
    ledger.clock.move(CALL_SECONDS)
    assert outbox.run() == 0
    assert lease.reservations[0].uuid not in cloud.nova.flavors()
