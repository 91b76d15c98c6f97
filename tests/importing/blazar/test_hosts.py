"""Copy of hosts."""

from dibs.importing import Report
from dibs.importing.blazar.hosts import copy_hosts
from tests.importing.fake_service import FakeService, refuse

NODE = "3f2b1c9e-0000-4000-8000-000000000001"


def hosts(*listed: dict[str, str]) -> FakeService:
    return FakeService({"/v1/os-hosts": {"hosts": list(listed)}})


def host(id: str, name: str, **capabilities: str) -> dict[str, str]:
    return {"id": id, "hypervisor_hostname": name, "vcpus": "8", **capabilities}


def test_a_new_host_is_created_with_its_capabilities(report: Report) -> None:
    source, target = hosts(host("1", "compute-1", rack="r1")), hosts()
    target.on_write = lambda method, path, body: {"host": host("9", "compute-1", rack="r1")}
    assert copy_hosts(source, target, FakeService(), report) == {"1": "9"}
    assert target.writes == [("POST", "/v1/os-hosts", {"name": "compute-1", "rack": "r1"})]


def test_a_bare_metal_host_is_found_by_the_name_of_its_node(report: Report) -> None:
    source, target = hosts(host("1", NODE)), hosts(host("9", "metal"))
    providers = FakeService({f"/resource_providers/{NODE}": {"name": "metal"}})
    assert copy_hosts(source, target, providers, report) == {"1": "9"}
    assert target.writes == []


def test_a_refused_host_is_reported_and_has_no_id(report: Report) -> None:
    target = hosts()
    target.on_write = refuse
    assert copy_hosts(hosts(host("1", "compute-1")), target, FakeService(), report) == {}
    assert report.counts["host"] == {"refused": 1}
