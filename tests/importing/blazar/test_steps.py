"""Import of hosts and leases, from the reservation API of another Dibs: a real Blazar needs Nova and Keystone."""

import signal
from typing import Any

import httpx
import pytest

from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.clients.clouds import connect, enroll, write_clouds_yaml
from tests.importing.command import Outcome, run_import, start_import

START, END = "2091-05-01 10:00", "2091-05-01 12:00"
ADMIN = {"X-Auth-Token": "admin"}
ALICE = {"X-Auth-Token": "alice:lab", "X-Roles": "member,reader"}
SHOWN = ("name", "user_id", "project_id", "start_date", "end_date", "status")
DIFFERENT_IN_COPY = {"id", "lease_id", "resource_id", "flavor_id", "created_at", "updated_at"}


def call(url: str, method: str, path: str, body: Any = None, headers: dict[str, str] = ADMIN) -> Any:
    answer = httpx.request(method, f"{url}/reservation/v1{path}", json=body, headers=headers, timeout=30)
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def lease(url: str, name: str, reservation: dict[str, Any], start: str = START, **options: Any) -> None:
    body = {"name": name, "start_date": start, "end_date": END, "reservations": [reservation], "events": []}
    call(url, "POST", "/leases", body, **options)


def whole(rack: str) -> dict[str, Any]:
    wanted = f'["==", "$rack", "{rack}"]'
    fixed = {"resource_type": "physical:host", "min": 1, "max": 1, "hypervisor_properties": "", "before_end": ""}
    return {**fixed, "resource_properties": wanted}


def instances(amount: int) -> dict[str, Any]:
    fixed = {"resource_type": "virtual:instance", "vcpus": 1, "memory_mb": 64, "disk_gb": 1, "affinity": None}
    return {**fixed, "amount": amount, "resource_properties": ""}


def leases_at(url: str) -> list[Any]:
    """Return the leases without the fields that differ in every copy."""
    listed = call(url, "GET", "/leases")["leases"]
    shown = [
        [each[name] for name in SHOWN]
        + [{key: part[key] for key in sorted(part.keys() - DIFFERENT_IN_COPY)} for part in each["reservations"]]
        for each in listed
    ]
    return sorted(shown, key=str)


def run_all(source: DibsServer, target: DibsServer) -> Outcome:
    """Run the three imports in the documented order."""
    assert run_import("ironic", f"{source.url}/baremetal", target.url).status == 0
    assert run_import("placement", f"{source.url}/placement", target.url).status == 0
    return run_import("blazar", f"{source.url}/reservation", target.url)


@pytest.fixture
def source(server: DibsServer, tmp_path: Any) -> DibsServer:
    """Return a service with a compute host, a bare-metal host, and leases of two projects on them."""
    with connect(write_clouds_yaml(tmp_path, server)) as cloud:
        enroll(cloud, name="metal")
        provider = cloud.placement.create_resource_provider(name="compute-1")
        for resource_class in ("VCPU", "MEMORY_MB", "DISK_GB"):
            cloud.placement.create_resource_provider_inventory(provider, resource_class, total=1024)
    call(server.url, "POST", "/os-hosts", {"name": "compute-1", "rack": "r1"})
    call(server.url, "POST", "/os-hosts", {"name": "metal", "rack": "r2"})
    lease(server.url, "metal", whole("r2"), headers=ALICE)
    for amount in (1, 2, 2, 3):
        lease(server.url, "shares", instances(amount), headers=ALICE)
    lease(server.url, "running", instances(4), start="now")
    eventually(lambda: "ACTIVE" in str(call(server.url, "GET", "/leases")), 30, "a lease that runs")
    return server


@pytest.fixture
def target(serve: Any, bed: Bed, engine_name: str) -> DibsServer:
    return serve(database=bed.databases(engine_name).fresh())


def test_hosts_and_leases_of_all_projects_are_copied_once(source: DibsServer, target: DibsServer) -> None:
    done = run_all(source, target)
    assert done.status == 0, done.report
    assert (done.count("host", "copied"), done.count("lease", "copied")) == (2, 6)
    eventually(lambda: "ACTIVE" in str(call(target.url, "GET", "/leases")), 30, "the lease that runs")
    there, here = leases_at(source.url), leases_at(target.url)
    for each in (*there, *here):
        # An active lease starts in the copy later than in the original.
        each[3] = "started" if each[0] == "running" else each[3]
    assert here == there
    ids = {each["there"]: each["here"] for each in done.report["ids"] if each["noun"] == "lease"}
    assert len(ids) == len(set(ids.values())) == 6
    again = run_import("blazar", f"{source.url}/reservation", target.url)
    assert (again.status, again.count("host", "same"), again.count("lease", "same")) == (0, 2, 6)


def test_an_import_of_leases_that_is_killed_continues(source: DibsServer, target: DibsServer) -> None:
    assert run_import("placement", f"{source.url}/placement", target.url).status == 0
    process = start_import("blazar", f"{source.url}/reservation", target.url)
    eventually(lambda: call(target.url, "GET", "/leases")["leases"], 60, "a lease")
    process.send_signal(signal.SIGKILL)
    process.wait()
    # The node was not imported, so its host and its lease are refused.
    done = run_import("blazar", f"{source.url}/reservation", target.url)
    assert (done.status, done.count("host", "refused"), done.count("lease", "refused")) == (1, 1, 1)
    assert len(call(target.url, "GET", "/leases")["leases"]) == 5
