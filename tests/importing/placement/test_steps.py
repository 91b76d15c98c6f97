"""Import from a real Placement, compared on both sides through the API itself."""

import signal
import uuid
from typing import Any

import httpx
import pytest

from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.importing.command import Outcome, run_import, start_import
from tests.importing.rack import Rack
from tests.importing.real_placement import RealPlacement

# An import cannot tell the engine of its target, so one engine and one real Placement are enough.

PROJECT, USER = "8d6e3a5f0d6b4f9d9c0a4a1b2c3d4e5f", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


class Api:
    """A placement service, used as an administrator."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, headers={"X-Auth-Token": "admin"}, timeout=30)

    def call(self, method: str, path: str, body: Any = None, version: str = "1.39") -> Any:
        """Send one request and require success."""
        headers = {"OpenStack-API-Version": f"placement {version}"}
        answer = self.http.request(method, path, json=body, headers=headers)
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def make(self, name: str, parent: str | None = None, **parts: Any) -> str:
        """Create a provider with ``inventories``, ``traits`` and ``aggregates``; return its uuid."""
        made = str(uuid.uuid4()) if "uuid" not in parts else parts.pop("uuid")
        self.call("POST", "/resource_providers", {"uuid": made, "name": name, "parent_provider_uuid": parent})
        for part, value in parts.items():
            generation = self.call("GET", f"/resource_providers/{made}")["generation"]
            body = {part: value, "resource_provider_generation": generation}
            self.call("PUT", f"/resource_providers/{made}/{part}", body)
        return made

    def claim(self, consumer: str, resources: dict[str, dict[str, int]], kind: str | None = "INSTANCE") -> None:
        """Create the claims of a new consumer."""
        body = {
            "allocations": {provider: {"resources": amounts} for provider, amounts in resources.items()},
            "project_id": PROJECT,
            "user_id": USER,
            "consumer_generation": None,
        }
        if kind is None:
            self.call("PUT", f"/allocations/{consumer}", body, version="1.37")
        else:
            self.call("PUT", f"/allocations/{consumer}", {**body, "consumer_type": kind})

    def all(self) -> dict[str, Any]:
        """Return all objects without generations, which count changes."""
        listed = self.call("GET", "/resource_providers")["resource_providers"]
        return {
            "classes": sorted(each["name"] for each in self.call("GET", "/resource_classes")["resource_classes"]),
            "traits": sorted(self.call("GET", "/traits?name=startswith:CUSTOM_")["traits"]),
            "providers": {each["uuid"]: self.provider(each) for each in listed},
            "claims": self.claims([each["uuid"] for each in listed]),
        }

    def provider(self, entry: dict[str, Any]) -> dict[str, Any]:
        path = f"/resource_providers/{entry['uuid']}"
        return {
            "name": entry["name"],
            "parent": entry["parent_provider_uuid"],
            "root": entry["root_provider_uuid"],
            "inventories": self.call("GET", f"{path}/inventories")["inventories"],
            "traits": sorted(self.call("GET", f"{path}/traits")["traits"]),
            "aggregates": sorted(self.call("GET", f"{path}/aggregates")["aggregates"]),
            "usages": self.call("GET", f"{path}/usages")["usages"],
        }

    def claims(self, providers: list[str]) -> dict[str, Any]:
        on = [self.call("GET", f"/resource_providers/{each}/allocations")["allocations"] for each in providers]
        return {consumer: self.claims_of(consumer) for found in on for consumer in found}

    def claims_of(self, consumer: str) -> dict[str, Any]:
        found = self.call("GET", f"/allocations/{consumer}")
        resources = {provider: each["resources"] for provider, each in found.pop("allocations").items()}
        return {name: found[name] for name in ("project_id", "user_id", "consumer_type")} | {"resources": resources}


def amounts(total: int, **others: Any) -> dict[str, Any]:
    return {"total": total, "max_unit": total, **others}


@pytest.fixture(scope="session")
def source(placement: RealPlacement) -> RealPlacement:
    """Return the real Placement, filled with trees, sharing providers and claims. No test changes it."""
    api = Api(placement.url)
    shared = str(uuid.uuid4())
    for name in ("CUSTOM_GOLD", "CUSTOM_UNUSED"):
        api.call("PUT", f"/resource_classes/{name}")
        api.call("PUT", f"/traits/{name}_TRAIT")
    disks = api.make("disks", aggregates=[shared], traits=["MISC_SHARES_VIA_AGGREGATE"],
                     inventories={"DISK_GB": amounts(1000, reserved=10)})  # fmt: skip
    for number in range(6):
        root = api.make(f"host{number}", aggregates=[shared], traits=["HW_CPU_X86_AVX2"],
                        inventories={"MEMORY_MB": amounts(4096, step_size=64, min_unit=64)})  # fmt: skip
        numa = api.make(f"host{number}_numa0", root, traits=["CUSTOM_GOLD_TRAIT"],
                        inventories={"VCPU": amounts(8, allocation_ratio=1.7), "CUSTOM_GOLD": amounts(2)})  # fmt: skip
        api.claim(str(uuid.uuid4()), {numa: {"VCPU": 3}, root: {"MEMORY_MB": 128}, disks: {"DISK_GB": 5}})
    api.claim(str(uuid.uuid4()), {numa: {"CUSTOM_GOLD": 1}}, kind=None)
    api.make("nothing")
    return placement


def run(source: RealPlacement, server: DibsServer, *flags: str) -> Outcome:
    return run_import("placement", source.url, server.url, *flags)


def test_everything_is_copied_and_a_second_run_changes_nothing(source: RealPlacement, server: DibsServer) -> None:
    done = run(source, server)
    there, here = Api(source.url).all(), Api(f"{server.url}/placement")
    assert here.all() == there
    assert done.status == 0, done.report
    assert (done.count("provider", "copied"), done.count("claim", "copied")) == (len(there["providers"]), 7)
    before = here.call("GET", "/resource_providers")
    again = run(source, server)
    assert again.status == 0
    assert {sum(found.values()) - found["same"] for found in again.report["counts"].values()} == {0}
    assert here.call("GET", "/resource_providers") == before


def test_an_import_that_is_killed_repeatedly_continues_each_time(source: RealPlacement, server: DibsServer) -> None:
    here = Api(f"{server.url}/placement")
    for wanted in (1, 5, 9):
        process = start_import("placement", source.url, server.url)
        eventually(
            lambda least=wanted: len(here.call("GET", "/resource_providers")["resource_providers"]) >= least,
            60,
            f"{wanted} providers",
        )
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert run(source, server).status == 0
    assert here.all() == Api(source.url).all()


def test_a_provider_that_differs_in_dibs_is_reported_and_kept_and_a_claim_that_does_not_fit_is_refused(
    source: RealPlacement, server: DibsServer
) -> None:
    here = Api(f"{server.url}/placement")
    (disks,) = Api(source.url).call("GET", "/resource_providers?name=disks")["resource_providers"]
    here.make("disks", uuid=disks["uuid"], inventories={"DISK_GB": amounts(15)})
    done = run(source, server)
    found = {each["what"]: (each["there"], each["here"]) for each in done.findings("provider")["disks"]["differences"]}
    assert found["inventories/DISK_GB/total"] == (1000, 15)
    assert here.call("GET", f"/resource_providers/{disks['uuid']}/inventories/DISK_GB")["total"] == 15
    assert (done.status, done.count("claim", "copied"), done.count("claim", "refused")) == (1, 4, 3)
    assert "Unable to allocate inventory" in next(iter(done.findings("claim").values()))["reason"]


def test_a_provider_that_is_a_node_gets_its_aggregates_and_the_owner_of_its_claim(
    rack: Rack, source: RealPlacement, server: DibsServer
) -> None:
    there, here = Api(source.url), Api(f"{server.url}/placement")
    node, aggregate = rack.nodes["used"], str(uuid.uuid4())
    instance = rack.cloud.baremetal.get_node(node).instance_id
    there.call("PUT", "/resource_classes/CUSTOM_COMPUTE")
    there.make(node, uuid=node, aggregates=[aggregate], inventories={"CUSTOM_COMPUTE": amounts(1)})
    there.claim(instance, {node: {"CUSTOM_COMPUTE": 1}})
    try:
        run_import("ironic", rack.url, server.url)
        done = run(source, server)
        assert done.status == 0, done.report
        assert here.claims_of(instance) == there.claims_of(instance)
        assert here.call("GET", f"/resource_providers/{node}/aggregates")["aggregates"] == [aggregate]
        assert here.call("GET", f"/resource_providers/{node}")["name"] == "used"
    finally:
        there.call("DELETE", f"/allocations/{instance}")
        there.call("DELETE", f"/resource_providers/{node}")
