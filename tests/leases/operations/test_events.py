"""The events of leases over a real ledger, run as a conductor runs them."""

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.database.schema import metadata
from dibs.leases.model.leases import ACTIVE, DONE, PENDING, TERMINATED, UNDONE, WHOLE_HOST
from dibs.leases.operations.events import DueEvent, fail_event, list_due_events, run_event
from dibs.leases.operations.planning import new_event
from dibs.leases.queries.leases import add_events
from tests import event_rows
from tests import lease_builders as leases
from tests import server_builders as servers
from tests.builders import Ledger
from tests.provider_builders import statements


@pytest.fixture
def worker(ledger: Ledger) -> LeaseWorker:
    """The part of a conductor that runs events, without its thread."""
    return LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=1, cleaning_minutes=0)


def until(ledger: Ledger, moment: int) -> None:
    """Move the clock to a moment."""
    ledger.clock.move((moment - ledger.clock()) / 1_000_000)


def rows(ledger: Ledger, table: str) -> list[dict[str, object]]:
    query = metadata.tables[table].select()
    return ledger.store.read(lambda tx: tx.rows(query))


def inventory_of(ledger: Ledger, reservation_class: str) -> dict[int, int]:
    """Return the total of a class by provider; empty when the class does not exist."""
    classes = {row["id"]: row["name"] for row in rows(ledger, "resource_classes")}
    return {
        row["provider_id"]: row["total"]
        for row in rows(ledger, "inventories")
        if classes[row["class_id"]] == reservation_class
    }


def test_events_do_not_run_before_they_are_due(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    assert worker.run_events() == 0
    assert leases.shown(ledger, made).status == PENDING


def test_start_offers_the_instances_on_their_hosts(ledger, worker):
    hosts = {host.id: host for host in (leases.make_host(ledger) for _ in range(2))}
    made = leases.lease(ledger, 1, 2, leases.instances(3, vcpus=30))
    until(ledger, leases.at(1))
    worker.run_events()
    now = leases.shown(ledger, made)
    assert now.status == ACTIVE
    assert now.event("start_lease").status == DONE
    assert now.event("end_lease").status == UNDONE
    offered = inventory_of(ledger, made.reservations[0].resource_class)
    assert offered == {
        hosts[host].reservation_provider_id: amount for host, amount in leases.booked(ledger, made).items()
    }
    assert sum(offered.values()) == 3
    (access,) = rows(ledger, "flavor_access")
    assert access["project_id"] == leases.OWNER.actor.project


def test_start_takes_few_statements_however_many_hosts_it_has(ledger):
    for _ in range(4):
        leases.make_host(ledger)
    one, three = (leases.lease(ledger, 1, 2, leases.whole(count)) for count in (1, 3))
    until(ledger, leases.at(1))
    assert [statements(ledger, lambda made=made: start(ledger, made)) for made in (one, three)] == [12, 12]


def start(ledger, made):
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind="start_lease"))


def test_end_removes_flavors_inventories_classes_bookings_and_servers(ledger, worker):
    leases.make_host(ledger)
    before = {row["name"] for row in rows(ledger, "resource_classes")}
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    until(ledger, leases.at(1))
    worker.run_events()
    launched = launch(ledger, made)
    assert launched.status == "ACTIVE"
    until(ledger, leases.at(2))
    worker.run_events()
    assert leases.shown(ledger, made).status == TERMINATED
    for table in ("flavors", "flavor_access", "bookings", "servers", "claims", "consumers"):
        assert rows(ledger, table) == [], table
    assert {row["name"] for row in rows(ledger, "resource_classes")} == before
    assert all(row["used"] == 0 for row in rows(ledger, "inventories"))


def launch(ledger, made, actor=leases.OWNER, **options):
    """Launch a server of the first reservation of a lease."""
    reservation = made.reservations[0]
    if reservation.resource_type == WHOLE_HOST:
        return servers.launch(ledger, servers.flavor(ledger), actor, reservation=reservation.uuid, **options)
    (flavor,) = [row for row in rows(ledger, "flavors") if row["reservation_id"] == reservation.id]
    return servers.launch(ledger, _Named(flavor["flavor"]), actor, **options)


class _Named:
    def __init__(self, flavor: object) -> None:
        self.flavor = str(flavor)


def test_no_more_instances_than_reserved_can_be_launched(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    until(ledger, leases.at(1))
    worker.run_events()
    assert [launch(ledger, made).status for _ in range(3)] == ["ACTIVE", "ACTIVE", "ERROR"]


def test_deleting_an_active_lease_leaves_nothing_behind(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1), leases.instances(1))
    until(ledger, leases.at(1))
    worker.run_events()
    launch(ledger, made)
    leases.delete(ledger, made)
    for table in ("leases", "lease_events", "lease_reservations", "flavors", "bookings", "servers", "claims"):
        assert rows(ledger, table) == [], table


def test_lease_that_ends_at_noon_ends_before_the_next_begins_at_noon(ledger, worker):
    leases.make_host(ledger)
    first = leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    launched = launch(ledger, first)
    assert launched.status == "ACTIVE"
    until(ledger, leases.at(2))
    worker.run_events()
    assert leases.shown(ledger, first).status == TERMINATED
    assert leases.shown(ledger, second).status == ACTIVE
    assert rows(ledger, "servers") == []


def test_lease_waits_until_its_host_is_released(ledger, worker):
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(2))
    assert not ledger.runner.write(run_event, SERVICE, DueEvent(lease=second.uuid, kind="start_lease"))
    while worker.run_events():
        continue
    assert leases.shown(ledger, second).status == ACTIVE


def test_leases_that_wait_for_a_stuck_lease_are_not_listed_as_due(ledger, worker):
    leases.make_host(ledger)
    first = leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    until(ledger, leases.at(3) - leases.HOUR // 2)
    assert ledger.runner.write(fail_event, SERVICE, DueEvent(lease=first.uuid, kind="end_lease"))
    assert due(ledger) == []
    leases.delete(ledger, first)
    assert due(ledger) == [(second.uuid, "start_lease")]


def due(ledger: Ledger) -> list[tuple[str, str]]:
    """Return the start and end events that are due."""
    found = ledger.runner.read(list_due_events, SERVICE, 9)
    return [(event.lease, event.kind) for event in found if event.kind != "before_end_lease"]


def test_event_runs_once(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.whole())
    until(ledger, leases.at(1))
    event = DueEvent(lease=made.uuid, kind="start_lease")
    assert [ledger.runner.write(run_event, SERVICE, event) for _ in range(2)] == [True, False]


def test_event_of_a_later_release_stays_due(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    event = new_event("move_lease", leases.at(1), ledger.clock())
    ledger.run(lambda tx: add_events(tx, made.id, [event]))
    until(ledger, leases.at(1))
    worker.run()
    now = leases.shown(ledger, made)
    assert now.status == ACTIVE
    assert now.event("move_lease").status == UNDONE


def test_overdue_lease_begins_and_ends(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1))
    until(ledger, leases.at(9))
    while worker.run_events():
        continue
    assert leases.shown(ledger, made).status == TERMINATED
    assert rows(ledger, "bookings") == []


@pytest.mark.one_engine
def test_leases_of_a_year_follow_each_other_on_one_host(ledger, worker):
    leases.make_host(ledger)
    made = [leases.lease(ledger, day * 24 + 1, day * 24 + 20, leases.whole()) for day in range(365)]
    for day in range(365):
        until(ledger, leases.at(day * 24 + 1))
        worker.run_events()
        assert leases.shown(ledger, made[day]).status == ACTIVE
        until(ledger, leases.at(day * 24 + 20))
        while worker.run_events():
            continue
        assert leases.shown(ledger, made[day]).status == TERMINATED
    assert rows(ledger, "bookings") == []


def test_start_is_announced_once_and_again_when_it_moves(ledger):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.whole())
    worker = LeaseWorker(
        ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0, before_start_minutes=15
    )

    def announced() -> list[dict[str, object]]:
        return [row for row in event_rows.rows(ledger.store) if row["type"] == "lease.starting_soon"]

    until(ledger, leases.at(1) - 16 * 60_000_000)
    assert worker.notice_starts() == 0
    until(ledger, leases.at(1) - 14 * 60_000_000)
    assert (worker.notice_starts(), worker.notice_starts()) == (1, 0)
    (event,) = announced()
    assert (event["object_id"], event["project_id"]) == (made.uuid, leases.OWNER.actor.project)
    assert event["after_state"] == {"start_at": leases.at(1)}
    leases.change(ledger, made, start_at=leases.at(1.5))
    assert worker.notice_starts() == 0
    until(ledger, leases.at(1.4))
    worker.run()
    assert [each["after_state"] for each in announced()] == [{"start_at": leases.at(1)}, {"start_at": leases.at(1.5)}]
    until(ledger, leases.at(1.5))
    worker.run()
    assert len(announced()) == 2
