"""Copy of allocations; test_steps has the whole path with a real Ironic."""

from typing import Any

import pytest

from dibs.importing import Report
from dibs.importing.ironic.allocations import copy_allocations
from dibs.importing.ironic.nodes import NodeCopier
from tests.importing.fake_service import FakeService

ALLOCATION = {"uuid": "a", "name": "build-7", "state": "active", "resource_class": "gold", "node_uuid": "n"}


def copy(
    report: Report, allocation: dict[str, Any], target: FakeService, version: tuple[int, int] = (1, 99)
) -> list[tuple[str, str]]:
    """Copy one allocation; return method and path of the writes."""
    documents = {"/v1/allocations": {"allocations": [allocation]}, "/v1/nodes/n": {"uuid": "n", "maintenance": False}}
    source = FakeService(documents, version=version)
    nodes = NodeCopier(source, target, {}, report)
    copy_allocations(source, target, nodes, report)
    return [(method, path) for method, path, _ in target.writes]


def target(state: str = "active") -> FakeService:
    found = {"/v1/nodes/n": {"provision_state": state, "maintenance": False, "maintenance_reason": None}}
    return FakeService(found, on_write=respond)


def respond(method: str, path: str, body: Any) -> Any:
    return {"reservation": {"uuid": "r"}} if path == "/v1/reservations" else ALLOCATION


def test_an_allocation_of_a_deployed_node_is_backfilled(report: Report) -> None:
    here = target()
    assert copy(report, ALLOCATION, here) == [("POST", "/v1/allocations")]
    assert here.writes[0][2]["node"] == "n"
    assert report.counts["allocation"] == {"copied": 1}


def test_an_allocation_of_an_available_node_uses_a_reservation(report: Report) -> None:
    here = target("available")
    assert copy(report, ALLOCATION, here) == [("POST", "/v1/reservations"), ("POST", "/v1/allocations")]
    assert here.writes[1][2]["reservation_uuid"] == "r"


@pytest.mark.parametrize(
    ("change", "outcome", "reason"),
    [
        ({"state": "error", "last_error": "no nodes"}, "left out", "the allocation failed: no nodes"),
        ({"state": "allocating"}, "refused", "its state is allocating; run the import again when it is active"),
    ],
)
def test_an_allocation_without_a_node_is_not_copied(
    change: dict[str, str], outcome: str, reason: str, report: Report
) -> None:
    assert copy(report, {**ALLOCATION, **change}, target()) == []
    assert [(each.outcome, each.reason) for each in report.findings] == [(outcome, reason)]


def test_an_allocation_whose_node_is_missing_is_refused(report: Report) -> None:
    assert copy(report, ALLOCATION, FakeService()) == []
    assert report.findings[0].reason == "node n does not exist in Dibs"


def test_an_ironic_without_allocations_is_skipped(report: Report) -> None:
    assert copy(report, ALLOCATION, target(), version=(1, 51)) == []
    assert report.counts == {}
