"""Copy of resource classes."""

from dibs.importing import Report
from dibs.importing.placement.resource_classes import copy_resource_classes
from tests.importing.fake_service import FakeService


def classes(*names: str) -> FakeService:
    return FakeService({"/resource_classes": {"resource_classes": [{"name": name} for name in names]}})


def test_standard_classes_and_those_of_leases_are_not_copied(report: Report) -> None:
    source, target = classes("VCPU", "CUSTOM_GOLD", "CUSTOM_RESERVATION_1"), classes("VCPU")
    copy_resource_classes(source, target, report)
    assert target.writes == [("PUT", "/resource_classes/CUSTOM_GOLD", None)]
