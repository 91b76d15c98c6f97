"""Copy of leases."""

from typing import Any

import pytest

from dibs.importing import Report
from dibs.importing.blazar.leases import LeaseCopier
from tests.importing.fake_service import FakeService

PAST, START, END = (f"{year}-05-01T10:00:00.000000" for year in (2020, 2091, 2092))


def lease(id: str, **values: Any) -> dict[str, Any]:
    reservation = {"id": f"{id}-r", "resource_type": "flavor:instance", "amount": 1, "resource_properties": '{"id": 7}'}
    fixed = {"id": id, "name": "training", "status": "PENDING", "start_date": START, "end_date": END}
    owner = {"user_id": "eva", "project_id": "lab"}
    return {**fixed, **owner, "reservations": [reservation], "events": [], **values}


def copy(listed: list[Any], existing: list[Any], report: Report, project: str | None = None) -> FakeService:
    source = FakeService({"/v1/leases": {"leases": listed}})
    target = FakeService({"/v1/leases": {"leases": existing}})
    target.on_write = lambda method, path, body: {"lease": lease("new")}
    LeaseCopier(source, target, report, {}, project).copy_all()
    return target


def test_a_pending_lease_is_created_for_its_owner_and_gets_a_new_id(report: Report) -> None:
    target = copy([lease("old")], [], report)
    ((_, _, body),) = target.writes
    assert (body["start_date"], body["end_date"]) == ("2091-05-01 10:00", "2092-05-01 10:00")
    assert body["reservations"][0]["flavor_id"] == 7
    assert target.owners == [("eva", "lab")]
    assert {"noun": "lease", "there": "old", "here": "new"} in report.ids


def test_a_lease_that_has_started_starts_now(report: Report) -> None:
    ((_, _, body),) = copy([lease("old", status="ACTIVE", start_date=PAST)], [], report).writes
    assert body["start_date"] == "now"


def test_each_of_several_equal_leases_needs_a_copy_of_its_own(report: Report) -> None:
    target = copy([lease("1"), lease("2")], [lease("9")], report)
    assert len(target.writes) == 1
    assert report.counts["lease"] == {"same": 1, "copied": 1}


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"status": "TERMINATED"}, "left out"),
        ({"status": "ERROR"}, "left out"),
        ({"status": "ACTIVE", "start_date": PAST, "end_date": PAST}, "left out"),
        ({"status": "UPDATING"}, "refused"),
    ],
)
def test_a_lease_that_is_over_or_changing_is_not_copied(values: dict[str, str], outcome: str, report: Report) -> None:
    assert copy([lease("old", **values)], [], report).writes == []
    assert report.counts["lease"] == {outcome: 1}


def test_only_the_leases_of_the_project_are_copied(report: Report) -> None:
    assert copy([lease("old")], [], report, project="other").writes == []
    assert report.counts["lease"] == {}


def test_only_a_warning_in_the_future_is_copied(report: Report) -> None:
    warning = "2091-12-24T18:00:00.000000"
    events = [{"event_type": "start_lease", "time": START}, {"event_type": "before_end_lease", "time": warning}]
    ((_, _, body),) = copy([lease("old", events=events)], [], report).writes
    assert body["before_end_date"] == "2091-12-24 18:00"
    passed = [{"event_type": "before_end_lease", "time": PAST}]
    ((_, _, body),) = copy([lease("old", events=passed)], [], report).writes
    assert body["before_end_date"] is None
