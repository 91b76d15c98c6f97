"""Reservation and compute: leases of shared hosts, and servers on other hosts."""

from typing import Any

from faults.workload.claims import expect, make_provider
from faults.workload.client import Client
from faults.workload.memory import Document, Memory, Step

HOSTS = [f"b0000000-0000-4000-8000-00000000000{number}" for number in range(4)]
SERVER_HOSTS = [f"c0000000-0000-4000-8000-00000000000{number}" for number in range(3)]
SERVER_CLASS = "CUSTOM_FAULTS_SERVER"
SERVERS_PER_HOST = 5
OWNED_MAX = 3
LEASES = "/reservation/v1/leases"
SERVERS = "/compute/v2.1/servers"


def create_lease(memory: Memory, _: Client) -> Step | None:
    """Lease whole hosts in the future, or instances from now on."""
    if len(memory.owned("lease")) >= OWNED_MAX:
        return None
    name = memory.new_name("lease")
    if memory.chance.random() < 0.5:
        day = memory.chance.randint(1, 9)
        start, end = f"2090-02-0{day} 10:00", f"2090-02-0{day} 14:00"
        wanted: dict[str, Any] = {"resource_type": "physical:host", "min": 1, "max": memory.chance.randint(1, 2)}
        wanted |= {"hypervisor_properties": "", "resource_properties": ""}
    else:
        start, end = "now", "2089-01-01 10:00"
        wanted = {"resource_type": "virtual:instance", "vcpus": 1, "memory_mb": 1, "disk_gb": 0}
        wanted |= {"amount": memory.chance.randint(1, 3), "affinity": None, "resource_properties": ""}

    def learn(document: Document) -> None:
        memory.ids["lease", name] = document["lease"]["id"]

    body = {"name": name, "start_date": start, "end_date": end, "reservations": [wanted], "events": []}
    return Step("create-lease", "POST", LEASES, body, {("lease", name): {"end": end, "reservations": 1}}, learn)


def extend_lease(memory: Memory, _: Client) -> Step | None:
    """Let a lease end later or earlier."""
    if not memory.owned("lease"):
        return None
    key = memory.pick("lease")
    end = f"{memory.known[key]['end'][:11]}{memory.chance.randint(13, 20)}:00"
    changes = {key: {**memory.known[key], "end": end}}
    return Step("extend-lease", "PUT", f"{LEASES}/{memory.ids[key]}", {"end_date": end}, changes)


def delete_lease(memory: Memory, _: Client) -> Step | None:
    """Delete a lease."""
    if not memory.owned("lease"):
        return None
    key = memory.pick("lease")
    return Step("delete-lease", "DELETE", f"{LEASES}/{memory.ids[key]}", None, {key: None})


def launch(memory: Memory, _: Client) -> Step | None:
    """Launch a server; without room it exists in the state ERROR."""
    if len(memory.owned("server")) >= OWNED_MAX:
        return None
    name = memory.new_name("server")

    def learn(document: Document) -> None:
        memory.ids["server", name] = document["server"]["id"]

    body = {"server": {"name": name, "flavorRef": "faults", "networks": "none"}}
    return Step("launch", "POST", SERVERS, body, {("server", name): "exists"}, learn)


def delete_server(memory: Memory, _: Client) -> Step | None:
    """Delete a server."""
    if not memory.owned("server"):
        return None
    key = memory.pick("server")
    return Step("delete-server", "DELETE", f"{SERVERS}/{memory.ids[key]}", None, {key: None})


def prepare_hosts(client: Client) -> None:
    """Create the hosts, and the flavor of the servers."""
    for host in HOSTS:
        make_provider(client, host, {"VCPU": 64, "MEMORY_MB": 262_144, "DISK_GB": 2_000})
        expect(client, Step("prepare", "POST", "/reservation/v1/os-hosts", {"name": f"p-{host}"}))
    expect(client, Step("prepare", "PUT", f"/placement/resource_classes/{SERVER_CLASS}"))
    for host in SERVER_HOSTS:
        make_provider(client, host, {SERVER_CLASS: SERVERS_PER_HOST})
    flavor = {"id": "faults", "name": "faults", "ram": 1, "vcpus": 1, "disk": 0}
    expect(client, Step("prepare", "POST", "/compute/v2.1/flavors", {"flavor": flavor}))
    specs = {f"resources:{SERVER_CLASS}": "1", "resources:VCPU": "0", "resources:MEMORY_MB": "0"}
    extra = {"extra_specs": {**specs, "resources:DISK_GB": "0"}}
    expect(client, Step("prepare", "POST", "/compute/v2.1/flavors/faults/os-extra_specs", extra))
