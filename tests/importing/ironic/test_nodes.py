"""Copy of nodes; test_steps has the whole path with a real Ironic."""

from typing import Any

import pytest

from dibs.importing import Report
from dibs.importing.ironic.nodes import UNFINISHED, NodeCopier
from tests.importing.fake_service import FakeService

NODE: dict[str, Any] = {
    "uuid": "n",
    "name": "rack1-01",
    "driver": "ipmi",
    "provision_state": "available",
    "maintenance": False,
    "maintenance_reason": None,
    "reservation": None,
}
NO_PORTS: dict[str, Any] = {"/v1/ports/detail": {"ports": []}}


def copier(report: Report, existing: dict[str, Any] | None = None, fallback: str | None = None) -> NodeCopier:
    documents = {} if existing is None else {"/v1/nodes/n": existing}
    target = FakeService({**NO_PORTS, **documents})
    drivers: dict[str, Any] = {"fake-hardware": {}}
    return NodeCopier(FakeService(NO_PORTS), target, drivers, report, fallback)


def test_a_node_without_a_driver_in_dibs_is_refused(report: Report) -> None:
    copier(report).copy(NODE)
    assert report.findings[0].reason == (
        "Dibs has no driver ipmi (available: fake-hardware); choose a replacement with --driver"
    )


def test_an_existing_node_is_compared_and_not_changed(report: Report) -> None:
    nodes = copier(report, {**NODE, "name": "other"})
    nodes.copy(NODE)
    assert nodes.target.writes == []
    assert [each.what for each in report.findings[0].differences] == ["name"]


@pytest.mark.parametrize(
    ("state", "maintenance", "reason", "unfinished"),
    [
        ("manageable", True, UNFINISHED, True),
        ("enroll", True, None, True),
        ("enroll", False, None, False),
        ("available", True, None, False),
        ("enroll", True, "fan 3", False),
    ],
)
def test_a_node_that_a_killed_run_left_behind_is_recognized(
    state: str, maintenance: bool, reason: str | None, unfinished: bool, report: Report
) -> None:
    existing = {**NODE, "provision_state": state, "maintenance": maintenance, "maintenance_reason": reason}
    assert copier(report, existing).is_unfinished("n") is unfinished


@pytest.mark.parametrize(
    ("maintenance", "write"),
    [
        (False, ("DELETE", "/v1/nodes/n/maintenance", None)),
        (True, ("PUT", "/v1/nodes/n/maintenance", {"reason": "fan 3"})),
    ],
)
def test_a_copied_node_gets_the_maintenance_of_its_original(maintenance: bool, write: Any, report: Report) -> None:
    nodes = copier(report)
    nodes.end_maintenance({**NODE, "maintenance": maintenance, "maintenance_reason": "fan 3"})
    assert nodes.target.writes == [write]
