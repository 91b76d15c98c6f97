"""Updates of leases over a real ledger: what can be changed when, and which hosts a lease has afterwards."""

import pytest

from dibs.access.access import SERVICE
from dibs.flavors.operations.flavors import create_flavor
from dibs.flavors.queries import flavors
from dibs.leases.model.dates import CURRENT_MINUTE, LeaseRules
from dibs.leases.model.errors import BadLease, LeaseConflict, LeaseNotFound, LeaseTooLong, NotEnoughHosts, OutsideLease
from dibs.leases.model.leases import BEFORE_END, END, START, Lease, Reservation, class_of
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.updates import ReservationUpdate
from dibs.leases.queries import leases
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import (
    at,
    booked,
    change,
    delete,
    flavored,
    instances,
    lease,
    make_host,
    shown,
    whole,
)


def begin(ledger: Ledger, made: Lease) -> Lease:
    """Run the start of a lease."""
    ledger.clock.moved = made.start_at - ledger.clock() + ledger.clock.moved + 1_000_000
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=START))
    return shown(ledger, made)


def of(made: Lease, number: int = 0, **values) -> ReservationUpdate:
    return ReservationUpdate(uuid=made.reservations[number].uuid, values=values)


def dates(made: Lease) -> dict[str, int]:
    return {event.kind: event.due_at for event in made.events}


def windows(database_url: str) -> set[tuple[int, int]]:
    return {(row["start_at"], row["end_at"]) for row in read_tables(database_url)["bookings"]}


def offered(database_url: str, reservation: Reservation) -> int:
    tables = read_tables(database_url)
    class_id = {row["name"]: row["id"] for row in tables["resource_classes"]}[class_of(reservation.uuid)]
    return sum(row["total"] for row in tables["inventories"] if row["class_id"] == class_id)


# --- names ---


def test_lease_is_renamed_in_every_state(ledger):
    made = lease(ledger, 1, 2)
    assert change(ledger, made, name="other").name == "other"
    ledger.store.write(lambda tx: leases.change(tx, made, 1, status="TERMINATED"))
    assert change(ledger, made, name="third").name == "third"
    assert change(ledger, made).name == "third"


def test_unknown_lease_is_not_found(ledger):
    made = lease(ledger, 1, 2)
    delete(ledger, made)
    with pytest.raises(LeaseNotFound):
        change(ledger, made, name="x")


# --- dates ---


def test_all_dates_of_a_pending_lease_move(ledger, database_url):
    make_host(ledger)
    made = change(ledger, lease(ledger, 1, 3, whole()), start_at=at(5), end_at=at(9))
    assert (made.start_at, made.end_at, made.status) == (at(5), at(9), "PENDING")
    assert dates(made) == {START: at(5), END: at(9), BEFORE_END: at(8)}
    assert windows(database_url) == {(at(5), at(9))}


def test_prolonging_reschedules_the_before_end_event(ledger):
    made = lease(ledger, 1, 3, before_end_at=at(2.5))
    event = made.event(BEFORE_END)
    ledger.store.write(lambda tx: leases.change_event(tx, event, 1, status="DONE"))
    moved = change(ledger, made, end_at=at(6)).event(BEFORE_END)
    assert (moved.due_at, moved.status) == (at(5.5), "UNDONE")


def test_before_end_is_never_due_before_the_start(ledger):
    made = lease(ledger, 1, 9, before_end_at=at(2))
    assert dates(change(ledger, made, end_at=at(3)))[BEFORE_END] == at(1)
    assert dates(change(ledger, made, start_at=at(1.5)))[BEFORE_END] == at(1.5)


def test_given_before_end_date_must_lie_within_the_lease(ledger):
    made = lease(ledger, 1, 3, rules=LeaseRules(before_end_minutes=0))
    assert BEFORE_END not in dates(made)
    assert dates(change(ledger, made, before_end_at=at(2.25)))[BEFORE_END] == at(2.25)
    for wrong in (1, 3, 7):
        with pytest.raises(OutsideLease):
            change(ledger, made, before_end_at=at(wrong))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"start_at": at(-2)}, BadLease, "Start date must be later than current date"),
        ({"end_at": at(1)}, BadLease, "End date must be later than current and start date"),
        ({"end_at": at(-3)}, BadLease, "End date must be later than current and start date"),
        ({"start_at": at(5)}, BadLease, "End date must be later than current and start date"),
        ({"end_at": at(99), "rules": LeaseRules(seconds_max=3600 * 5)}, LeaseTooLong, "Lease duration"),
    ],
)
def test_impossible_dates_are_refused(ledger, options, error, words):
    made = lease(ledger, 1, 3)
    with pytest.raises(error, match=words):
        change(ledger, made, **options)
    assert shown(ledger, made) == made


def test_lease_that_exceeds_a_later_limit_can_be_changed_but_not_prolonged(ledger):
    made = lease(ledger, 1, 9)
    rules = LeaseRules(seconds_max=3600)
    assert change(ledger, made, end_at=at(8), rules=rules).end_at == at(8)
    assert change(ledger, made, start_at=at(2), end_at=at(9), rules=rules).start_at == at(2)
    with pytest.raises(LeaseTooLong):
        change(ledger, made, end_at=at(9.5), rules=rules)


def test_ended_lease_can_only_be_renamed(ledger):
    made = lease(ledger, 1, 3)
    ledger.store.write(lambda tx: leases.change(tx, made, 1, status="TERMINATED"))
    with pytest.raises(BadLease, match="Terminated leases can only be renamed"):
        change(ledger, made, end_at=at(5))
    ledger.store.write(lambda tx: leases.change(tx, made, 1, status="ERROR"))
    with pytest.raises(LeaseConflict):
        change(ledger, made, end_at=at(5))


def test_lease_that_has_begun_keeps_its_start(ledger):
    make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, whole()))
    assert made.status == "ACTIVE"
    ledger.clock.move(120)
    for start in (at(2), at(0), CURRENT_MINUTE):
        with pytest.raises(BadLease, match="Cannot modify the start date of already started leases"):
            change(ledger, made, start_at=start)
    assert change(ledger, made, start_at=at(1), end_at=at(4)).end_at == at(4)


def test_lease_that_has_begun_can_be_ended_now(ledger):
    make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, whole()))
    ledger.clock.move(600)
    assert change(ledger, made, end_at=CURRENT_MINUTE).end_at <= ledger.clock()


# --- hosts of a pending lease ---


def test_lease_that_moves_onto_another_gets_another_host(ledger):
    one, two = make_host(ledger), make_host(ledger)
    taken = lease(ledger, 5, 7, whole())
    made = lease(ledger, 1, 3, whole())
    ((mine, _),) = booked(ledger, made).items()
    moved = change(ledger, made, start_at=at(5), end_at=at(6))
    assert booked(ledger, moved).keys() == {one.id, two.id} - booked(ledger, taken).keys()
    assert mine in (one.id, two.id)
    with pytest.raises(NotEnoughHosts):
        change(ledger, lease(ledger, 1, 3, whole()), start_at=at(5), end_at=at(6))


def test_lease_keeps_its_hosts_where_possible(ledger):
    for _ in range(12):
        make_host(ledger)
    made = lease(ledger, 1, 3, whole(3), instances(4, vcpus=40))
    before = booked(ledger, made)
    for seed in range(5):
        made = change(ledger, made, start_at=at(2 + seed), end_at=at(4 + seed))
        assert booked(ledger, made) == before


def test_lease_does_not_conflict_with_its_own_bookings(ledger, database_url):
    make_host(ledger)
    made = lease(ledger, 1, 3, instances(3, vcpus=20))
    assert change(ledger, made, start_at=at(2), end_at=at(4)).start_at == at(2)
    assert windows(database_url) == {(at(2), at(4))}


def test_shortening_needs_no_search_for_hosts(ledger, database_url):
    host = make_host(ledger)
    made = lease(ledger, 1, 5, whole())
    other = make_host(ledger)
    assert change(ledger, made, start_at=at(2), end_at=at(3)).end_at == at(3)
    assert windows(database_url) == {(at(2), at(3))}
    assert booked(ledger, made) == {host.id: 1}
    assert other.id not in booked(ledger, made)


def test_refused_update_changes_nothing(ledger, database_url):
    make_host(ledger)
    made = lease(ledger, 1, 3, whole())
    lease(ledger, 5, 7, whole())
    before = read_tables(database_url)
    with pytest.raises(NotEnoughHosts, match="1 booked in that time"):
        change(ledger, made, end_at=at(6), name="longer")
    assert read_tables(database_url) == before


def test_whole_hosts_grow_and_shrink_before_the_start(ledger):
    for _ in range(4):
        make_host(ledger)
    made = lease(ledger, 1, 3, whole(1, 2))
    made = change(ledger, made, of(made, most=4))
    assert (made.reservations[0].least, made.reservations[0].most) == (1, 4)
    assert len(booked(ledger, made)) == 4
    made = change(ledger, made, of(made, most=1))
    assert len(booked(ledger, made)) == 1
    with pytest.raises(BadLease, match="Max must be equal to or larger than min"):
        change(ledger, made, of(made, least=3))
    with pytest.raises(NotEnoughHosts):
        change(ledger, made, of(made, least=5, most=5))


def test_changed_requirements_change_the_hosts_before_the_start(ledger):
    plain, gpu = make_host(ledger), make_host(ledger, gpu="yes")
    made = lease(ledger, 1, 3, whole(resource_properties='["==", "$gpu", "yes"]'))
    assert booked(ledger, made) == {gpu.id: 1}
    made = change(ledger, made, of(made, resource_properties="", hypervisor_properties=f'["<", "$id", "{gpu.id}"]'))
    assert booked(ledger, made) == {plain.id: 1}
    with pytest.raises(BadLease, match="zzz"):
        change(ledger, made, of(made, resource_properties='["==", "$zzz", "1"]'))


def test_all_attributes_of_instances_can_change_before_the_start(ledger):
    for _ in range(2):
        make_host(ledger)
    made = lease(ledger, 1, 3, instances(2, vcpus=2))
    made = change(ledger, made, of(made, least=5, most=5, resources={"VCPU": 16}, affinity=None))
    (reservation,) = made.reservations
    assert (reservation.most, reservation.resources) == (5, {"VCPU": 16, "MEMORY_MB": 1024})
    flavor = ledger.store.read(lambda tx: flavors.get(tx, reservation.uuid))
    assert (flavor.vcpus, flavor.memory_mb) == (16, 1024)
    assert sum(booked(ledger, made).values()) == 5
    made = change(ledger, made, of(made, least=2, most=2, affinity=False))
    assert sorted(booked(ledger, made).values()) == [1, 1]
    made = change(ledger, made, of(made, affinity=True))
    assert list(booked(ledger, made).values()) == [2]


def test_only_the_dates_of_flavored_instances_can_change(ledger):
    make_host(ledger)
    values = {"flavor": "m", "name": "m", "vcpus": 4, "memory_mb": 1, "disk_gb": 1}
    ledger.runner.write(create_flavor, SERVICE, values)
    made = lease(ledger, 1, 3, flavored("m"))
    assert change(ledger, made, of(made), start_at=at(4), end_at=at(5)).end_at == at(5)
    with pytest.raises(LeaseConflict, match="not yet supported"):
        change(ledger, made, of(made, least=2, most=2))


def test_foreign_reservations_and_other_types_are_refused(ledger):
    make_host(ledger)
    made, other = lease(ledger, 1, 2, whole()), lease(ledger, 3, 4, whole())
    with pytest.raises(BadLease, match="valid reservation IDs"):
        change(ledger, made, of(other, most=2))
    with pytest.raises(LeaseConflict, match="resource_type cannot be updated"):
        change(ledger, made, of(made, resource_type="virtual:instance"))
    assert change(ledger, made, of(made, resource_type="physical:host", resources={"VCPU": 1})) == shown(ledger, made)


def test_one_reservation_twice_in_an_update_is_refused(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 3, whole())
    with pytest.raises(BadLease, match=f"Reservation {made.reservations[0].uuid} is in the request more than once"):
        change(ledger, made, of(made, most=2), of(made, most=1))


# --- hosts of an active lease ---


def test_active_lease_is_prolonged_on_its_own_hosts_or_refused(ledger):
    one, two = make_host(ledger), make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, whole()))
    ((mine, _),) = booked(ledger, made).items()
    later = lease(ledger, 5, 6, whole(resource_properties=f'["==", "$id", "{mine}"]'))
    assert change(ledger, made, end_at=at(5)).end_at == at(5)
    with pytest.raises(NotEnoughHosts):
        change(ledger, made, end_at=at(5.5))
    assert booked(ledger, made) == {mine: 1}
    assert {mine} == booked(ledger, later).keys() <= {one.id, two.id}


def test_added_instances_of_an_active_lease_are_offered_at_once(ledger, database_url):
    for _ in range(2):
        make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, instances(2, vcpus=16)))
    assert offered(database_url, made.reservations[0]) == 2
    before = booked(ledger, made)
    made = change(ledger, made, of(made, least=7, most=7))
    assert offered(database_url, made.reservations[0]) == 7
    assert all(booked(ledger, made)[host] >= amount for host, amount in before.items())
    for values in ({"least": 6, "most": 6}, {"resources": {"VCPU": 1}}, {"affinity": False}):
        with pytest.raises(LeaseConflict):
            change(ledger, made, of(made, **values))
    with pytest.raises(NotEnoughHosts):
        change(ledger, made, of(made, least=9, most=9))


@pytest.mark.parametrize("affinity", [True, False])
def test_added_instances_of_an_active_lease_keep_its_affinity(ledger, affinity):
    for _ in range(3):
        make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, instances(2, vcpus=16, affinity=affinity)))
    before = booked(ledger, made)
    made = change(ledger, made, of(made, least=3, most=3))
    after = booked(ledger, made)
    assert sorted(after.values()) == ([3] if affinity else [1, 1, 1])
    assert before.keys() <= after.keys()
    with pytest.raises(NotEnoughHosts):
        change(ledger, made, of(made, least=5, most=5))


def test_active_lease_gains_hosts_and_never_loses_any(ledger):
    for _ in range(3):
        make_host(ledger)
    plain = make_host(ledger, gpu="no")
    made = begin(ledger, lease(ledger, 1, 3, whole(2)))
    before = booked(ledger, made)
    made = change(ledger, made, of(made, least=3, most=3))
    assert len(booked(ledger, made)) == 3
    assert before.keys() <= booked(ledger, made).keys()
    with pytest.raises(LeaseConflict, match="keeps its hosts"):
        change(ledger, made, of(made, least=1, most=2))
    text = '["==", "$gpu", "no"]' if plain.id not in booked(ledger, made) else '["==", "$vcpus", "1"]'
    with pytest.raises(LeaseConflict, match="keeps its hosts"):
        change(ledger, made, of(made, resource_properties=text))


def test_prolonging_does_not_add_hosts(ledger):
    make_host(ledger)
    made = begin(ledger, lease(ledger, 1, 3, whole(1, 3)))
    make_host(ledger)
    assert len(booked(ledger, change(ledger, made, end_at=at(4)))) == 1


def test_requirements_of_all_reservations_count_in_an_update(ledger):
    make_host(ledger, gpu="a100")
    half = ", ".join(['["==", "$gpu", "a100"]'] * 60)
    requirements = f'["and", {half}]'
    made = lease(ledger, 1, 2, instances(1, resource_properties=requirements), instances(1))
    second = ReservationUpdate(uuid=made.reservations[1].uuid, values={"resource_properties": requirements})
    with pytest.raises(BadLease, match="this one has 120"):
        change(ledger, made, second)
