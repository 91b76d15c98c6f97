"""Copy of custom traits."""

from dibs.importing import Report
from dibs.importing.placement.traits import copy_traits
from tests.importing.fake_service import FakeService


def test_custom_traits_are_copied(report: Report) -> None:
    source, target = FakeService({"/traits": {"traits": ["CUSTOM_A"]}}), FakeService({"/traits": {"traits": []}})
    copy_traits(source, target, report)
    assert target.writes == [("PUT", "/traits/CUSTOM_A", None)]
