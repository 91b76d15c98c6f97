"""The sections of the demo: which machine may I have, and when?"""

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demo_api import WAIT_SECONDS, Api, DemoFailed, Refused
from demo_fleet import KINDS
from demo_output import heading, quote

RARE = {"resource_class": "gpu", "traits": ["CUSTOM_GPU_H100", "CUSTOM_INFINIBAND"]}
"""A kind of machine of which the fleet has four."""
DATE = "%Y-%m-%d %H:%M"


def run_sections(api: Api) -> None:
    """Run every section of the demo."""
    count_machines(api)
    find_by_trait(api)
    with busy_machines(api) as colleague:
        refuse(api)
        wait_in_the_queue(api, colleague)
    lease_for_monday(api)


def count_machines(api: Api) -> None:
    """Print the number of machines of each class, and how many are available."""
    heading("The fleet")
    for kind, *_ in KINDS:
        nodes = api.call("GET", f"/nodes?resource_class={kind}&fields=provision_state,maintenance")["nodes"]
        ready = sum(node["provision_state"] == "available" and not node["maintenance"] for node in nodes)
        print(f"  {len(nodes):3} {kind:<8} {ready} available now")


def find_by_trait(api: Api) -> None:
    """Show the four trait filters, alone and with other filters."""
    heading("Which machines are there? Filter them by trait")
    show_filter(api, "has all traits", "traits=CUSTOM_GPU_A100,CUSTOM_INFINIBAND")
    show_filter(api, "has any trait", "traits-any=CUSTOM_GPU_A100,CUSTOM_GPU_H100")
    show_filter(api, "lacks at least one trait", "resource_class=gpu&not-traits=CUSTOM_GPU_H100,CUSTOM_INFINIBAND")
    show_filter(api, "has none of the traits", "resource_class=storage&not-traits-any=CUSTOM_NVME,CUSTOM_GPU_A100")


def show_filter(api: Api, meaning: str, query: str) -> None:
    """Print a list request and the names of the nodes that it returns."""
    nodes = api.call("GET", f"/nodes?{query}&fields=name&sort_key=name")["nodes"]
    names = [node["name"] for node in nodes]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    print(f"  {meaning}\n    GET /baremetal/v1/nodes?{query}\n    {len(names)}: {shown}")


@contextmanager
def busy_machines(api: Api) -> Iterator[list[str]]:
    """Let a colleague take every machine of the rare kind; yield their allocations, and delete them at the end."""
    heading("Four machines have an H100 and InfiniBand; a colleague takes them all")
    batch = create(api, count=4)
    colleague = [each["uuid"] for each in batch]
    for each in batch:
        print(f"  {node_of(api, settled(api, each['uuid']))} is allocated")
    try:
        yield colleague
    finally:
        for uuid in colleague:
            release(api, uuid)


def refuse(api: Api) -> None:
    """Show what a request without a free machine answers."""
    heading("May I have one? Not now, and this is why")
    (mine,) = create(api)
    print(f"  {settled(api, mine['uuid'])['last_error']}")
    release(api, mine["uuid"])
    query = f"resource_class={RARE['resource_class']}&traits={','.join(RARE['traits'])}"
    why = api.call("GET", f"/why?{query}", api="/dibs/v1")
    print(f"    GET /dibs/v1/why?{query}\n    {quote({name: why[name] for name in ('fits', 'free', 'reasons')})}")


def wait_in_the_queue(api: Api, colleague: list[str]) -> None:
    """Wait in the queue until the colleague releases a machine, then deploy it and release it."""
    heading("Then I wait in the queue, and get the first one that becomes free")
    (mine,) = create(api, wait_seconds=3600, keep_alive_seconds=300)
    time.sleep(1)
    print(f"  my allocation is {api.call('GET', '/allocations/' + mine['uuid'], api='/dibs/v1')['state']}")
    release(api, colleague.pop())
    print("  my colleague releases a machine")
    node = node_of(api, settled(api, mine["uuid"]))
    print(f"  my allocation is active: I have {node}")
    api.provision(node, "active")
    print(f"  {node} is {api.wait(node, 'active', 'deploy failed')['provision_state']}")
    api.provision(node, "deleted")
    print(f"  undeployed and cleaned, {node} is {api.wait(node, 'available')['provision_state']} again")


def lease_for_monday(api: Api) -> None:
    """Lease a machine for a time in the future, extend the lease, and see what another request is told."""
    heading("And on Monday? A lease promises a machine; no other request gets it then")
    host = api.call("POST", "/os-hosts", {"name": "r6-s01"}, api="/reservation/v1")["host"]["id"]
    start = next_monday()
    try:
        lease = book(api, "mine", start, hours=4)
        print(f"  {lease['name']}: {lease['start_date'][:16]} to {lease['end_date'][:16]}, {lease['status']}")
        try:
            book(api, "yours", start, hours=2)
        except Refused as refusal:
            print(f"  another lease at that time: {refusal.status}\n    {refusal}")
        longer = {"end_date": (start + datetime.timedelta(hours=6)).strftime(DATE)}
        lease = api.call("PUT", f"/leases/{lease['id']}", longer, api="/reservation/v1")["lease"]
        print(f"  extended: to {lease['end_date'][:16]}")
        api.call("DELETE", f"/leases/{lease['id']}", api="/reservation/v1")
        print("  deleted: the machine is free for all again")
    finally:
        api.call("DELETE", f"/os-hosts/{host}", api="/reservation/v1")


def create(api: Api, **options: Any) -> list[Any]:
    """Create allocations of the rare kind."""
    return list(api.call("POST", "/allocations", {**RARE, **options}, api="/dibs/v1")["allocations"])


def settled(api: Api, allocation: str) -> Any:
    """Poll until an allocation has its node or failed; return it."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        found = api.call("GET", f"/allocations/{allocation}", api="/dibs/v1")
        if found["state"] != "allocating":
            return found
        time.sleep(0.05)
    raise DemoFailed(f"Allocation {allocation} is still in the queue after {WAIT_SECONDS} s")


def node_of(api: Api, allocation: Any) -> str:
    """Return the name of an allocation's node."""
    if allocation["node_uuid"] is None:
        raise DemoFailed(f"Allocation {allocation['uuid']} has no node: {allocation['last_error']}")
    return str(api.node(allocation["node_uuid"])["name"])


def release(api: Api, allocation: str) -> None:
    """Delete an allocation."""
    api.call("DELETE", f"/allocations/{allocation}")


def book(api: Api, name: str, start: datetime.datetime, *, hours: int) -> Any:
    """Create a lease of one whole host."""
    end = start + datetime.timedelta(hours=hours)
    whole_host = {
        "resource_type": "physical:host", "min": 1, "max": 1, "hypervisor_properties": "", "resource_properties": "",
    }  # fmt: skip
    body = {
        "name": name,
        "start_date": start.strftime(DATE),
        "end_date": end.strftime(DATE),
        "events": [],
        "reservations": [whole_host],
    }
    return api.call("POST", "/leases", body, api="/reservation/v1")["lease"]


def next_monday() -> datetime.datetime:
    """Return next Monday at 9:00 UTC."""
    today = datetime.datetime.now(datetime.UTC).replace(hour=9, minute=0, second=0, microsecond=0)
    return today + datetime.timedelta(days=7 - today.weekday())


def print_suggestions(api: Api, clouds_yaml: Path | None) -> None:
    """Print commands for the reader to run."""
    heading("Try it yourself")
    print(f"  curl -H 'X-OpenStack-Ironic-API-Version: 1.37' '{api.url}/baremetal/v1/nodes?traits=CUSTOM_NVME'")
    print("  pip install python-ironicclient")
    if clouds_yaml:
        print(f"  export OS_CLOUD=dibs OS_CLIENT_CONFIG_FILE={clouds_yaml}")
    else:
        print(f"  export OS_AUTH_TYPE=none OS_ENDPOINT={api.url}/baremetal")
    print("  baremetal node list --resource-class gpu --fields name provision_state traits")
    print("  baremetal node deploy r5-g02 --wait")
    print(f"  {api.url}/ lists all APIs; docs/tutorial.md continues from here", flush=True)
