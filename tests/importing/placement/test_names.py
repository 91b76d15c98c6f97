"""Copy of names."""

from dibs.importing import Report
from dibs.importing.placement.names import copy_names
from tests.importing.fake_service import FakeService, refuse


def test_only_missing_names_are_written(report: Report) -> None:
    target = FakeService()
    copy_names("trait", "/traits", {"CUSTOM_A", "CUSTOM_B"}, {"CUSTOM_B"}, target, report)
    assert target.writes == [("PUT", "/traits/CUSTOM_A", None)]
    assert report.counts["trait"] == {"copied": 1, "same": 1}


def test_a_refused_name_is_reported_and_the_others_are_copied(report: Report) -> None:
    copy_names("trait", "/traits", {"bad", "CUSTOM_B"}, {"CUSTOM_B"}, FakeService(on_write=refuse), report)
    assert [(each.id, each.reason) for each in report.findings] == [("bad", "no")]
    assert report.counts["trait"] == {"refused": 1, "same": 1}
