import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation
from tests.server_builders import host

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""


def test_service_is_disabled_and_enabled_by_its_host_until_2_52(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1")
    body = {"host": "compute-1", "binary": "nova-compute"}
    assert ask("PUT", "/v2.1/os-services/disable", body, version="2.1").json["service"]["status"] == "disabled"
    assert ask("GET", "/v2.1/os-services").json["services"][0]["status"] == "disabled"
    assert ask("GET", "/v2.1/os-hypervisors").json["hypervisors"][0]["status"] == "disabled"
    assert ask("PUT", "/v2.1/os-services/enable", body, version="2.1").json["service"]["status"] == "enabled"
    assert ask("PUT", "/v2.1/os-services/disable-log-reason", body, version="2.1").status == 400
    assert ask("PUT", "/v2.1/os-services/explode", body, version="2.1").status == 404
    assert ask("PUT", "/v2.1/os-services/disable", {**body, "host": "x"}, version="2.1").status == 404
    assert ask("PUT", "/v2.1/os-services/disable", {**body, "binary": "x"}, version="2.1").status == 400


def test_service_is_disabled_and_enabled_by_its_uuid_from_2_53_on(ask: Conversation, ledger: Ledger) -> None:
    path = f"/v2.1/os-services/{host(ledger, 'compute-1').uuid}"
    changed = ask("PUT", path, {"status": "disabled", "disabled_reason": "hot"}).json["service"]
    assert (changed["status"], changed["disabled_reason"], changed["forced_down"]) == ("disabled", "hot", False)
    assert ask("PUT", path, {"status": "enabled"}).json["service"]["status"] == "enabled"
    assert ask("PUT", path, {"status": "enabled", "disabled_reason": "x"}).status == 400
    assert ask("PUT", path, {"forced_down": True}).status == 400
    assert ask("PUT", "/v2.1/os-services/x", {"status": "enabled"}).status == 400


@pytest.mark.parametrize(("query", "count"), [("", 2), ("?host=compute-1", 1), ("?binary=nova-scheduler", 0)])
def test_each_compute_host_has_a_service_and_a_node_has_none(
    ask: Conversation, ledger: Ledger, query: str, count: int
) -> None:
    host(ledger, "compute-1")
    host(ledger, "compute-2")
    ledger.enrol(resource_class="gold")
    assert len(ask("GET", f"/v2.1/os-services{query}").json["services"]) == count


def test_the_only_zone_has_all_enabled_hosts(ask: Conversation, ledger: Ledger) -> None:
    host(ledger, "compute-1")
    off = host(ledger, "compute-2")
    ask("PUT", f"/v2.1/os-services/{off.uuid}", {"status": "disabled"})
    (zone,) = ask("GET", "/v2.1/os-availability-zone").json["availabilityZoneInfo"]
    assert zone == {"zoneName": "nova", "zoneState": {"available": True}, "hosts": None}
    (zone,) = ask("GET", "/v2.1/os-availability-zone/detail").json["availabilityZoneInfo"]
    assert list(zone["hosts"]) == ["compute-1"]
