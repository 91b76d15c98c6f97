"""Counts and findings of an import."""

from dibs.importing.report import Difference, Report

DIFFERENCE = Difference("extra/rack", "r1", "r2", "moved")


def test_an_equal_object_counts_as_copied_or_as_same(report: Report) -> None:
    report.compared("node", "1", "a", [], created=True)
    report.compared("node", "2", "b", [], created=False)
    assert report.counts["node"] == {"copied": 1, "same": 1}
    assert report.findings == []
    assert report.all_the_same


def test_an_object_that_differs_is_a_finding_that_says_whether_it_existed_before(report: Report) -> None:
    report.compared("node", "1", "a", [DIFFERENCE], created=True)
    report.compared("node", "2", "b", [DIFFERENCE], created=False)
    assert [each.reason for each in report.findings] == ["", "it existed before and was not changed"]
    assert not report.all_the_same


def test_objects_left_out_on_purpose_do_not_count_as_different(report: Report) -> None:
    report.left_out("lease", "1", None, "over")
    assert report.all_the_same
    report.refused("lease", "2", None, "no host")
    assert not report.all_the_same


def test_the_document_has_every_outcome_and_both_sides_of_a_difference(report: Report) -> None:
    report.begin("node")
    report.compared("node", "1", "a", [DIFFERENCE], created=True)
    report.add_id("lease", "old", "new")
    document = report.as_document()
    assert document["counts"] == {"node": {"copied": 0, "same": 0, "differs": 1, "refused": 0, "left out": 0}}
    (finding,) = document["findings"]
    assert finding["differences"] == [{"what": "extra/rack", "there": "r1", "here": "r2", "why": "moved"}]
    assert document["ids"] == [{"noun": "lease", "there": "old", "here": "new"}]
