from typing import Any

import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation
from tests.provider_builders import make
from tests.server_builders import flavor, host, launch

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""


def listed(ask: Conversation, query: str = "", version: str = "2.61") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask("GET", f"/v2.1/os-hypervisors/detail{query}", version=version).json["hypervisors"]
    return found


def test_only_compute_hosts_and_nodes_are_hypervisors(ask: Conversation, ledger: Ledger) -> None:
    compute = host(ledger, "compute-1")
    make(ledger, "shelf", DISK_GB=100)
    make(ledger, "child", compute, VCPU=1)
    ledger.enrol(name="node-1", resource_class="gold", properties={"cpus": "8", "memory_mb": 1024, "local_gb": "x"})
    found = {each["hypervisor_hostname"]: each for each in listed(ask)}
    assert {name: each["hypervisor_type"] for name, each in found.items()} == {
        "compute-1": "compute",
        "node-1": "ironic",
    }
    assert (found["node-1"]["vcpus"], found["node-1"]["memory_mb"], found["node-1"]["local_gb"]) == (8, 1024, 0)


def test_hypervisor_shows_used_resources_and_its_servers(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1", vcpus=8)
    made = launch(ledger, flavor(ledger, vcpus=2))
    (found,) = listed(ask, "?with_servers=true")
    assert (found["vcpus"], found["vcpus_used"], found["running_vms"]) == (8, 2, 1)
    assert found["servers"] == [{"uuid": made.server.uuid, "name": "server"}]


def test_ids_are_numbers_until_2_52_and_uuids_from_2_53_on(ask: Conversation, ledger: Ledger) -> None:
    compute = host(ledger, "compute-1")
    (old,), (new,) = listed(ask, version="2.52"), listed(ask, version="2.53")
    assert (old["id"], new["id"]) == (compute.id, compute.uuid)
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.id}", version="2.52").status == 200
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.id}", version="2.53").status == 400
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.uuid}", version="2.52").status == 404
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.uuid}", version="2.53").json["hypervisor"] == new
    assert (old["cpu_info"], listed(ask, version="2.27")[0]["cpu_info"]) == ({}, "")


def test_hypervisor_is_found_by_a_part_of_its_name(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute_1")
    host(ledger, "computeX1")
    assert [each["hypervisor_hostname"] for each in listed(ask, "?hypervisor_hostname_pattern=E_1")] == ["compute_1"]
    assert ask("GET", "/v2.1/os-hypervisors?hypervisor_hostname_pattern=nothing").status == 404
    assert ask("GET", "/v2.1/os-hypervisors?hypervisor_hostname_pattern=c&limit=1").status == 400
    found = ask("GET", "/v2.1/os-hypervisors/compute_/search", version="2.52").json["hypervisors"]
    assert [each["hypervisor_hostname"] for each in found] == ["compute_1"]


def test_hypervisors_are_paged_and_an_unknown_marker_is_400(ask: Conversation, ledger: Ledger) -> None:
    for name in ("one", "two", "three"):
        host(ledger, name)
    page = ask("GET", "/v2.1/os-hypervisors?limit=2").json
    assert "hypervisors_links" in page
    rest = ask("GET", f"/v2.1/os-hypervisors?limit=2&marker={page['hypervisors'][-1]['id']}").json
    assert [each["hypervisor_hostname"] for each in rest["hypervisors"]] == ["three"]
    for unknown in ("no-such-host", "9" * 30, "\N{SUPERSCRIPT TWO}"):
        assert ask("GET", f"/v2.1/os-hypervisors?marker={unknown}").status == 400


def test_uptime_is_not_implemented(ask: Conversation, ledger: Ledger) -> None:
    compute = host(ledger, "compute-1")
    assert ask("GET", f"/v2.1/os-hypervisors/{compute.uuid}/uptime").status == 501
