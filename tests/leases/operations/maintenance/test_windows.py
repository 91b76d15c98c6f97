"""Maintenance of hosts: planned, booked, respected and canceled."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue, Forbidden
from dibs.leases.model.errors import LeaseConflict, LeaseNotFound, NotEnoughHosts
from dibs.leases.model.leases import END, START
from dibs.leases.model.moving.planned import Maintenance
from dibs.leases.model.windows import Window
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.maintenance.planning import PlanMaintenance, plan_maintenance
from dibs.leases.operations.maintenance.windows import (
    BookMaintenance,
    book_maintenance,
    cancel_maintenance,
    list_maintenance,
)
from dibs.leases.operations.updates import UpdateLease, update_lease
from dibs.leases.queries import affected_reservations
from tests.builders import Ledger
from tests.lease_builders import (
    HOUR,
    MEMBER,
    at,
    booked,
    lease,
    make_host,
    read_availability,
    register,
    whole,
)


def plan(ledger: Ledger, nodes: str, hours: float, **options):
    command = PlanMaintenance(nodes=nodes, length=int(hours * HOUR), **options)
    return ledger.runner.read(plan_maintenance, SERVICE, command)


def book(ledger: Ledger, nodes: str, start: float, end: float) -> Maintenance:
    command = BookMaintenance(nodes=nodes, window=Window(at(start), at(end)), name="firmware")
    return ledger.runner.write(book_maintenance, SERVICE, command)


def listed(ledger: Ledger) -> list[Maintenance]:
    return ledger.runner.read(list_maintenance, SERVICE, None)


def test_plan_moves_as_few_leases_as_possible_and_booking_it_moves_them(ledger):
    old = make_host(ledger, "rack4-01")
    made = lease(ledger, 0, 24 * 29, whole())
    new = make_host(ledger, "rack5-01")
    found = plan(ledger, "rack4-*", 3, before=at(24))
    (move,) = found.moves
    assert (move.lease, move.before, move.after) == (made.uuid, ("rack4-01",), ("rack5-01",))
    window = Window(found.maintenance.start_at, found.maintenance.end_at)
    assert booked(ledger, made) == {old.id: 1}
    command = BookMaintenance(nodes="rack4-*", window=window, name="firmware")
    planned = ledger.runner.write(book_maintenance, SERVICE, command)
    assert booked(ledger, made) == {new.id: 1}
    assert listed(ledger) == [planned]
    assert planned.hosts == ("rack4-01",)


def test_window_without_leases_is_preferred_and_active_leases_are_waited_for(ledger):
    make_host(ledger, "rack4-01")
    lease(ledger, 0, 2, whole())
    found = plan(ledger, "rack4-01", 3)
    assert (found.maintenance.start_at, found.moves) == (at(2), ())
    with pytest.raises(LeaseConflict, match="There is no such window"):
        plan(ledger, "rack4-01", 3, before=at(3))


def test_host_in_maintenance_cannot_be_leased_in_that_time(ledger):
    host = make_host(ledger, "rack4-01")
    book(ledger, "rack4-01", 1, 3)
    assert read_availability(ledger, 2, 4, whole()).text == "1 host: 1 in maintenance in that time."
    with pytest.raises(NotEnoughHosts, match="1 in maintenance in that time"):
        lease(ledger, 2, 4, whole())
    assert booked(ledger, lease(ledger, 3, 4, whole())) == {host.id: 1}


def test_maintenance_neither_moves_nor_changes_and_nothing_replaces_its_hosts(ledger):
    node = ledger.enrol(name="rack4-01", resource_class="gold")
    register(ledger, node)
    planned = book(ledger, "rack4-01", 1, 3)
    register(ledger, ledger.enrol(name="rack5-01", resource_class="gold"))
    ledger.change(node, maintenance=True)
    assert ledger.store.read(lambda tx: affected_reservations.find(tx, 9)) == []
    command = UpdateLease(uuid=str(planned.uuid), end_at=at(4))
    with pytest.raises(LeaseConflict, match="is planned maintenance"):
        ledger.runner.write(update_lease, SERVICE, command)


def test_maintenance_begins_and_ends_by_itself(ledger):
    make_host(ledger, "rack4-01")
    planned = book(ledger, "rack4-01", 1, 3)
    for kind, hour in ((START, 1), (END, 3)):
        ledger.clock.move((at(hour) - ledger.clock()) / 1_000_000)
        assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=str(planned.uuid), kind=kind))
    assert listed(ledger) == []


def test_canceled_maintenance_frees_its_hosts(ledger):
    make_host(ledger, "rack4-01")
    planned = book(ledger, "rack4-01", 1, 3)
    ledger.runner.write(cancel_maintenance, SERVICE, str(planned.uuid))
    assert listed(ledger) == []
    assert lease(ledger, 1, 3, whole())


def test_lease_cannot_be_canceled_as_maintenance(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 2, whole())
    with pytest.raises(LeaseNotFound):
        ledger.runner.write(cancel_maintenance, SERVICE, made.uuid)


def test_node_in_use_without_an_end_is_named(ledger):
    node = ledger.enrol(name="rack4-01", resource_class="gold")
    register(ledger, node)
    ledger.change(node, instance_uuid="6f7c1f4e-8e5c-4f0c-9d0f-1d2c3b4a5e6f")
    with pytest.raises(LeaseConflict, match="In use without an end: rack4-01"):
        plan(ledger, "rack4-*", 1)


def test_pattern_without_hosts_is_refused(ledger):
    with pytest.raises(BadValue, match="No host has a name that matches rack9"):
        plan(ledger, "rack9-*", 1)


def test_members_may_not_plan(ledger):
    make_host(ledger, "rack4-01")
    command = PlanMaintenance(nodes="*", length=HOUR)
    with pytest.raises(Forbidden):
        ledger.runner.read(plan_maintenance, MEMBER, command)
