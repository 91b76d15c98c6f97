"""Copy of ports."""

from dibs.importing import Report
from dibs.importing.ironic.ports import copy_ports
from tests.importing.fake_service import FakeService

PORT = {"uuid": "p", "node_uuid": "n", "address": "52:54:00:00:00:01", "extra": {}, "portgroup_uuid": None}


def ports(*listed: dict[str, object]) -> FakeService:
    return FakeService({"/v1/ports/detail": {"ports": list(listed)}})


def test_a_port_is_created_with_its_uuid_and_without_empty_attributes(report: Report) -> None:
    target = ports()
    target.on_write = lambda method, path, body: body
    copy_ports(ports(PORT), target, "n", report)
    assert target.writes == [("POST", "/v1/ports", {"uuid": "p", "node_uuid": "n", "address": "52:54:00:00:00:01"})]
    assert report.counts["port"] == {"copied": 1}


def test_a_port_group_is_reported_as_missing_in_dibs(report: Report) -> None:
    copy_ports(ports({**PORT, "portgroup_uuid": "g"}), ports(PORT), "n", report)
    assert [each.why for each in report.findings[0].differences] == ["an import does not copy port groups"]
