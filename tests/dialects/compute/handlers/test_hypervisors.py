from typing import Any

import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation
from tests.provider_builders import make
from tests.server_builders import flavor, host, launch


def listed(ask: Conversation, query: str = "", version: str = "2.61") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask("GET", f"/v2.1/os-hypervisors/detail{query}", version=version).json["hypervisors"]
    return found


def test_compute_hosts_and_nodes_are_hypervisors_and_nothing_else_is(ask: Conversation, ledger: Ledger) -> None:
    compute = host(ledger, "compute-1")
    make(ledger, "shelf", DISK_GB=100)
    make(ledger, "child", compute, VCPU=1)
    ledger.enrol(name="node-1", resource_class="gold", properties={"cpus": "8", "memory_mb": 1024, "local_gb": "x"})
    seen = {each["hypervisor_hostname"]: each for each in listed(ask)}
    assert {name: each["hypervisor_type"] for name, each in seen.items()} == {
        "compute-1": "compute",
        "node-1": "ironic",
    }
    assert (seen["node-1"]["vcpus"], seen["node-1"]["memory_mb"], seen["node-1"]["local_gb"]) == (8, 1024, 0)


def test_a_hypervisor_shows_what_is_used_and_who_uses_it(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1", vcpus=8)
    made = launch(ledger, flavor(ledger, vcpus=2))
    (seen,) = listed(ask, "?with_servers=true")
    assert (seen["vcpus"], seen["vcpus_used"], seen["running_vms"]) == (8, 2, 1)
    assert seen["servers"] == [{"uuid": made.server.uuid, "name": "server"}]


def test_ids_are_numbers_until_2_52_and_uuids_from_2_53_on(ask: Conversation, ledger: Ledger) -> None:
    compute = host(ledger, "compute-1")
    (old,), (new,) = listed(ask, version="2.52"), listed(ask, version="2.53")
    assert (old["id"], new["id"]) == (compute.id, compute.uuid)
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.id}", version="2.52").status == 200
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.id}", version="2.53").status == 400
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.uuid}", version="2.52").status == 404
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.uuid}", version="2.53").json["hypervisor"] == new
    assert (old["cpu_info"], listed(ask, version="2.27")[0]["cpu_info"]) == ({}, "")


def test_a_part_of_the_name_finds_it(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute_1")
    host(ledger, "computeX1")
    assert [each["hypervisor_hostname"] for each in listed(ask, "?hypervisor_hostname_pattern=E_1")] == ["compute_1"]
    assert ask("GET", "/v2.1/os-hypervisors?hypervisor_hostname_pattern=nothing").status == 404
    assert ask("GET", "/v2.1/os-hypervisors?hypervisor_hostname_pattern=c&limit=1").status == 400
    found = ask("GET", "/v2.1/os-hypervisors/compute_/search", version="2.52").json["hypervisors"]
    assert [each["hypervisor_hostname"] for each in found] == ["compute_1"]


def test_hypervisors_come_in_pages(ask: Conversation, ledger: Ledger) -> None:
    for name in ("one", "two", "three"):
        host(ledger, name)
    page = ask("GET", "/v2.1/os-hypervisors?limit=2").json
    assert "hypervisors_links" in page
    rest = ask("GET", f"/v2.1/os-hypervisors?limit=2&marker={page['hypervisors'][-1]['id']}").json
    assert [each["hypervisor_hostname"] for each in rest["hypervisors"]] == ["three"]
    for nobody in ("nobody", "9" * 30, "\N{SUPERSCRIPT TWO}"):
        assert ask("GET", f"/v2.1/os-hypervisors?marker={nobody}").status == 400


def test_a_service_is_disabled_and_enabled_by_its_host(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1")
    body = {"host": "compute-1", "binary": "nova-compute"}
    assert ask("PUT", "/v2.1/os-services/disable", body, version="2.1").json["service"]["status"] == "disabled"
    assert ask("GET", "/v2.1/os-services").json["services"][0]["status"] == "disabled"
    assert listed(ask)[0]["status"] == "disabled"
    assert ask("PUT", "/v2.1/os-services/enable", body, version="2.1").json["service"]["status"] == "enabled"
    assert ask("PUT", "/v2.1/os-services/disable-log-reason", body, version="2.1").status == 400
    assert ask("PUT", "/v2.1/os-services/explode", body, version="2.1").status == 404
    assert ask("PUT", "/v2.1/os-services/disable", {**body, "host": "x"}, version="2.1").status == 404
    assert ask("PUT", "/v2.1/os-services/disable", {**body, "binary": "x"}, version="2.1").status == 400


def test_a_service_is_disabled_and_enabled_by_its_uuid(ask: Conversation, ledger: Ledger) -> None:
    path = f"/v2.1/os-services/{host(ledger, 'compute-1').uuid}"
    changed = ask("PUT", path, {"status": "disabled", "disabled_reason": "hot"}).json["service"]
    assert (changed["status"], changed["disabled_reason"], changed["forced_down"]) == ("disabled", "hot", False)
    assert ask("PUT", path, {"status": "enabled"}).json["service"]["status"] == "enabled"
    assert ask("PUT", path, {"status": "enabled", "disabled_reason": "x"}).status == 400
    assert ask("PUT", path, {"forced_down": True}).status == 400
    assert ask("PUT", "/v2.1/os-services/x", {"status": "enabled"}).status == 400


@pytest.mark.parametrize(("query", "count"), [("", 2), ("?host=compute-1", 1), ("?binary=nova-scheduler", 0)])
def test_services_are_those_of_compute_hosts(ask: Conversation, ledger: Ledger, query: str, count: int) -> None:
    host(ledger, "compute-1")
    host(ledger, "compute-2")
    ledger.enrol(resource_class="gold")
    assert len(ask("GET", f"/v2.1/os-services{query}").json["services"]) == count


def test_there_is_one_zone_with_all_hosts(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1")
    (zone,) = ask("GET", "/v2.1/os-availability-zone").json["availabilityZoneInfo"]
    assert zone == {"zoneName": "nova", "zoneState": {"available": True}, "hosts": None}
    (zone,) = ask("GET", "/v2.1/os-availability-zone/detail").json["availabilityZoneInfo"]
    assert list(zone["hosts"]) == ["compute-1"]
