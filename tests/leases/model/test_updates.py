import pytest
from msgspec.structs import replace

from dibs.leases.model.errors import BadLease, LeaseConflict, OutsideLease
from dibs.leases.model.leases import (
    ACTIVE,
    BEFORE_END,
    DONE,
    INSTANCES,
    PENDING,
    RESERVATION_ACTIVE,
    RESERVATION_PENDING,
    STARTING,
    TERMINATED,
    UNDONE,
    WHOLE_HOST,
    Event,
    Lease,
    Reservation,
)
from dibs.leases.model.updates import (
    changed_before_end,
    changed_reservation,
    changed_window,
    check_changeable,
    differs,
    needs_new_flavor,
    rescheduled,
)
from dibs.leases.model.windows import MINUTE, Window

HOUR = 60 * MINUTE
NOTICE = Event(id=1, uuid="e", kind=BEFORE_END, status=DONE, due_at=4 * HOUR, created_at=0)
LEASE = Lease(
    id=1,
    uuid="l",
    name="l",
    project_id="p",
    user_id="u",
    start_at=2 * HOUR,
    end_at=5 * HOUR,
    status=PENDING,
    created_at=0,
    events=(NOTICE,),
)
HOSTS = Reservation(id=1, uuid="r", resource_type=WHOLE_HOST, status=RESERVATION_PENDING, least=2, most=3, created_at=0)
VMS = replace(HOSTS, resource_type=INSTANCES, least=3, resources={"VCPU": 2, "MEMORY_MB": 64})


@pytest.mark.parametrize(("status", "error"), [(TERMINATED, BadLease), (STARTING, LeaseConflict)])
def test_only_pending_and_active_leases_can_be_changed(status: str, error: type[Exception]) -> None:
    check_changeable(LEASE)
    check_changeable(replace(LEASE, status=ACTIVE))
    with pytest.raises(error):
        check_changeable(replace(LEASE, status=status))


def test_lease_that_has_begun_keeps_its_start() -> None:
    assert changed_window(LEASE, HOUR, None, 0) == Window(HOUR, 5 * HOUR)
    with pytest.raises(BadLease, match="already started"):
        changed_window(LEASE, 3 * HOUR, None, 2 * HOUR)
    assert changed_window(replace(LEASE, status=ACTIVE), None, 6 * HOUR, 3 * HOUR) == Window(2 * HOUR, 6 * HOUR)


def test_window_in_the_past_or_without_duration_is_refused() -> None:
    with pytest.raises(BadLease, match="Start date"):
        changed_window(LEASE, MINUTE, None, HOUR)
    for end in (HOUR, 2 * HOUR):
        with pytest.raises(BadLease, match="End date"):
            changed_window(LEASE, None, end, 0)


def test_before_end_keeps_its_distance_from_the_end() -> None:
    assert changed_before_end(LEASE, Window(2 * HOUR, 9 * HOUR), None) == 8 * HOUR
    assert changed_before_end(LEASE, Window(2 * HOUR, 5 * HOUR), None) == 4 * HOUR
    assert changed_before_end(LEASE, Window(5 * HOUR, 5 * HOUR + MINUTE), None) == 5 * HOUR
    assert changed_before_end(replace(LEASE, events=()), Window(2 * HOUR, 9 * HOUR), None) is None
    with pytest.raises(OutsideLease):
        changed_before_end(LEASE, Window(2 * HOUR, 5 * HOUR), 6 * HOUR)


def test_rescheduled_event_happens_again() -> None:
    assert rescheduled(NOTICE, 4 * HOUR) == {}
    assert rescheduled(NOTICE, 5 * HOUR) == {"due_at": 5 * HOUR, "status": UNDONE}


def test_attributes_of_another_type_are_ignored() -> None:
    assert changed_reservation(HOSTS, {"affinity": True, "most": 4}, 2) == replace(HOSTS, most=4)


def test_resources_are_merged_and_zeros_removed() -> None:
    after = changed_reservation(VMS, {"resources": {"MEMORY_MB": 0, "DISK_GB": 5}}, 3)
    assert after.resources == {"VCPU": 2, "DISK_GB": 5}
    assert needs_new_flavor(VMS, after)
    with pytest.raises(BadLease):
        changed_reservation(VMS, {"resources": {"VCPU": 0, "MEMORY_MB": 0}}, 3)


def test_type_of_a_reservation_never_changes() -> None:
    with pytest.raises(LeaseConflict):
        changed_reservation(HOSTS, {"resource_type": INSTANCES}, 2)


def test_active_reservation_never_shrinks() -> None:
    hosts, vms = (replace(each, status=RESERVATION_ACTIVE) for each in (HOSTS, VMS))
    assert changed_reservation(hosts, {"most": 2}, 2).most == 2
    with pytest.raises(LeaseConflict):
        changed_reservation(hosts, {"least": 1, "most": 1}, 2)
    assert changed_reservation(vms, {"least": 4, "most": 4}, 3).most == 4
    for change in ({"least": 2, "most": 2}, {"affinity": True}, {"resources": {"VCPU": 1}}):
        with pytest.raises(LeaseConflict):
            changed_reservation(vms, change, 3)


def test_before_end_action_needs_no_other_hosts() -> None:
    assert not differs(HOSTS, replace(HOSTS, before_end="snapshot"))
    assert differs(HOSTS, replace(HOSTS, most=9))
