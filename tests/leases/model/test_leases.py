import uuid

import pytest

from dibs.leases.model.leases import (
    ACTIVE,
    DONE,
    ERROR,
    FAILED,
    IN_PROGRESS,
    PENDING,
    START,
    TERMINATED,
    UNDONE,
    Event,
    Lease,
    class_of,
    reservation_of,
    settled_status,
)


def test_resource_class_and_reservation_name_each_other() -> None:
    reservation = str(uuid.uuid4())
    assert class_of(reservation) == "CUSTOM_RESERVATION_" + reservation.upper().replace("-", "_")
    assert reservation_of(class_of(reservation)) == reservation
    assert reservation_of("CUSTOM_GOLD") is None


@pytest.mark.parametrize(
    ("start", "end", "status"),
    [(UNDONE, UNDONE, PENDING), (DONE, UNDONE, ACTIVE), (DONE, DONE, TERMINATED), (FAILED, UNDONE, ERROR)],
)
def test_status_follows_from_the_events(start: str, end: str, status: str) -> None:
    assert settled_status(start, end) == status


@pytest.mark.parametrize(("status", "begun"), [(UNDONE, False), (IN_PROGRESS, True), (DONE, True), (FAILED, False)])
def test_lease_has_begun_when_its_start_is_in_progress(status: str, begun: bool) -> None:
    start = Event(id=1, uuid="e", kind=START, status=status, due_at=0, created_at=0)
    lease = Lease(
        id=1, uuid="l", name="l", project_id="p", user_id="u", start_at=0, end_at=1, status=PENDING, created_at=0
    )
    assert not lease.begun
    assert Lease(**{name: getattr(lease, name) for name in Lease.__slots__} | {"events": (start,)}).begun == begun
