"""Creation, dates, visibility and deletion of leases over a real ledger."""

import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.conductor.leases import LeaseWorker
from dibs.conductor.retention import Retention, RetentionDays
from dibs.database.transaction import Transaction
from dibs.errors import Forbidden
from dibs.flavors.queries import flavors
from dibs.leases.model.dates import CURRENT_MINUTE, LeaseRules
from dibs.leases.model.errors import BadLease, LeaseNotFound, LeaseTooLong, NotEnoughHosts, OutsideLease
from dibs.leases.model.events import LeaseChanged
from dibs.leases.model.leases import BEFORE_END, END, START, class_of
from dibs.leases.model.windows import to_minute
from dibs.leases.operations.leases import (
    DeleteLease,
    GetLease,
    ListLeases,
    RemoveEndedLeases,
    delete_lease,
    get_lease,
    list_leases,
    remove_ended_leases,
)
from dibs.ledger.operations.resource_classes import list_resource_classes
from tests.booking_laws import broken_bookings
from tests.builders import Ledger, trusted
from tests.laws import read_tables
from tests.lease_builders import (
    MEMBER,
    OWNER,
    at,
    booked,
    change,
    delete,
    instances,
    lease,
    make_host,
    read_availability,
    shown,
    whole,
)
from tests.lease_rows import fill_hosts, fill_leases
from tests.provider_builders import statements


def refusal(ledger: Ledger, *asked, **options) -> str:
    with pytest.raises(NotEnoughHosts) as raised:
        lease(ledger, *asked, **options)
    return str(raised.value)


def class_names(ledger: Ledger) -> set[str]:
    return {each.name for each in ledger.runner.read(list_resource_classes, SERVICE, None)}


# --- creation ---


def test_lease_has_its_reservations_its_events_and_its_hosts(ledger):
    host = make_host(ledger)
    made = lease(ledger, 1, 3, whole(), name="mine")
    assert (made.name, made.status, made.project_id, made.user_id) == ("mine", "PENDING", "p", "u")
    assert {event.kind: event.due_at for event in made.events} == {START: at(1), END: at(3), BEFORE_END: at(2)}
    assert {event.status for event in made.events} == {"UNDONE"}
    assert made == shown(ledger, made)
    assert booked(ledger, made) == {host.id: 1}


def test_lease_of_instances_creates_a_class_and_a_private_flavor(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 3, instances(3, vcpus=2))
    (reservation,) = made.reservations
    assert class_of(reservation.uuid) in class_names(ledger)
    flavor = ledger.store.read(lambda tx: flavors.get(tx, reservation.uuid))
    assert (flavor.vcpus, flavor.memory_mb, flavor.disk_gb, flavor.public) == (2, 1024, 0, False)
    assert flavor.extra_specs == {f"resources:{class_of(reservation.uuid)}": "1"}
    assert flavor.name == f"reservation:{reservation.uuid}"
    assert flavor.reservation_id == reservation.id


def test_lease_of_whole_hosts_creates_neither_class_nor_flavor(ledger, database_url):
    make_host(ledger)
    lease(ledger, 1, 3, whole())
    tables = read_tables(database_url)
    assert tables["flavors"] == []
    assert not any(row["name"].startswith("CUSTOM_RESERVATION") for row in tables["resource_classes"])


def test_lease_may_have_no_reservations_and_may_begin_now(ledger):
    made = lease(ledger, 0, 1, start_at=CURRENT_MINUTE)
    assert made.reservations == ()
    assert made.start_at == to_minute(ledger.clock())


def test_refused_lease_leaves_nothing_behind(ledger, database_url):
    make_host(ledger)
    before = read_tables(database_url)
    refusal(ledger, 1, 3, instances(), whole(2))
    assert read_tables(database_url) == before


# --- dates ---


@pytest.mark.parametrize(
    ("dates", "error"),
    [
        ({"start_at": at(-2)}, BadLease),
        ({"end_at": at(1)}, BadLease),
        ({"end_at": at(0)}, BadLease),
        ({"end_at": CURRENT_MINUTE}, BadLease),
        ({"before_end_at": at(1)}, OutsideLease),
        ({"before_end_at": at(3)}, OutsideLease),
        ({"before_end_at": at(4)}, OutsideLease),
    ],
)
def test_impossible_dates_are_refused(ledger, dates, error):
    with pytest.raises(error):
        lease(ledger, 1, 3, **dates)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, at(2)),
        ({"before_end_at": at(1.5)}, at(1.5)),
        ({"rules": LeaseRules(before_end_minutes=600)}, at(1)),
        ({"rules": LeaseRules(before_end_minutes=0)}, None),
    ],
)
def test_before_end_is_due_as_the_client_or_the_operator_says(ledger, options, expected):
    event = lease(ledger, 1, 3, **options).event(BEFORE_END)
    assert (event.due_at if event else None) == expected


def test_too_long_lease_is_refused_unless_its_project_is_exempt(ledger):
    rules = LeaseRules(seconds_max=3600)
    assert lease(ledger, 1, 2, rules=rules)
    with pytest.raises(LeaseTooLong):
        lease(ledger, 1, 2.5, rules=rules)
    assert lease(ledger, 1, 9, rules=LeaseRules(seconds_max=3600, exempt_projects=frozenset({"p"})))


# --- visibility and deletion ---


def test_member_lists_the_leases_of_its_project_and_an_operator_all(ledger):
    made = [lease(ledger, 1, 2, name=name) for name in "ab"]
    other = lease(ledger, 1, 2, access=SERVICE)
    assert ledger.runner.read(list_leases, MEMBER, ListLeases(limit=1_000)) == made
    assert ledger.runner.read(list_leases, SERVICE, ListLeases(limit=1_000)) == [*made, other]


def test_caller_without_a_project_lists_no_leases(ledger):
    lease(ledger, 1, 2, access=SERVICE)
    assert ledger.runner.read(list_leases, LeasePolicy().access(Actor(user="n")), ListLeases(limit=1)) == []


def test_lease_that_is_deleted_leaves_nothing_behind(ledger, database_url):
    make_host(ledger)
    before = read_tables(database_url)
    made = lease(ledger, 1, 2, instances(2), instances(1))
    delete(ledger, made)
    after = read_tables(database_url)
    for name in ("leases", "lease_reservations", "lease_events", "bookings", "flavors", "resource_classes"):
        assert after[name] == before[name], name
    with pytest.raises(LeaseNotFound):
        shown(ledger, made)
    with pytest.raises(LeaseNotFound):
        delete(ledger, made)


@pytest.mark.parametrize(("operation", "command"), [(get_lease, GetLease), (delete_lease, DeleteLease)])
def test_lease_of_another_project_is_refused(ledger, operation, command):
    made = lease(ledger, 1, 2, access=trusted(user="v", project="q"))
    with pytest.raises(Forbidden):
        ledger.runner.write(operation, MEMBER, command(uuid=made.uuid))
    assert shown(ledger, made) == made


def test_page_after_an_unknown_lease_is_refused(ledger):
    with pytest.raises(BadLease, match="no lease unknown"):
        ledger.runner.read(list_leases, OWNER, ListLeases(limit=1, marker="unknown"))


# --- number of statements ---


@pytest.mark.one_engine
def test_creating_a_lease_takes_as_many_statements_among_500_hosts_with_1000_leases_as_among_20(ledger, database_url):
    def measure(hour: int) -> list[int]:
        return [
            statements(ledger, lambda: lease(ledger, hour, hour + 1, instances())),
            statements(ledger, lambda: lease(ledger, hour + 1, hour + 2, whole())),
        ]

    make_host(ledger)
    fill_hosts(database_url, 20)
    lease(ledger, 900, 901, whole(21))  # The search looks first for hosts without any booking.
    few = measure(1)
    fill_hosts(database_url, 480, first=20)
    fill_leases(database_url, 1_000, host_count=500)
    assert all(many <= at_first for many, at_first in zip(measure(50), few, strict=True))
    assert broken_bookings(read_tables(database_url)) == []


def test_events_and_quotas_of_a_lease_take_one_statement_each(ledger, monkeypatch):
    for _ in range(20):
        make_host(ledger)
    lease(ledger, 1, 2, whole(3))
    recorded = []
    with_events = statements(ledger, lambda: lease(ledger, 1, 2, whole(3)))
    monkeypatch.setattr(Transaction, "record", lambda tx, event: recorded.append(event.type))
    assert statements(ledger, lambda: lease(ledger, 1, 2, whole(3))) == with_events - 2
    assert recorded.count("booking.created") == 3


def test_refusals_and_lists_take_a_constant_number_of_statements(ledger):
    make_host(ledger)
    lease(ledger, 1, 2, whole())

    def measure() -> list[int]:
        read_availability(ledger, 1, 2, whole(90))  # Remembers the hosts.
        return [
            statements(ledger, lambda: refusal(ledger, 1, 2, whole(90))),
            statements(ledger, lambda: ledger.runner.read(list_leases, OWNER, ListLeases(limit=1_000))),
            statements(ledger, lambda: ledger.runner.read(list_leases, MEMBER, ListLeases(limit=1_000))),
        ]

    few = measure()
    for _ in range(50):
        make_host(ledger)
    for number in range(100):
        lease(ledger, 3 + number, 4 + number, whole(), instances())
    assert measure() == few


def test_creating_or_changing_a_lease_is_published(ledger):
    """A conductor in this process begins a lease that starts now, without waiting for its next look."""
    changes = []
    ledger.runner.subscribe(LeaseChanged, lambda: changes.append(1))
    make_host(ledger)
    made = lease(ledger, 1, 2, whole())
    change(ledger, made, end_at=at(3))
    assert len(changes) == 2


def test_leases_that_ended_long_ago_are_removed_a_few_at_a_time(ledger, database_url):
    make_host(ledger)
    ended = [lease(ledger, hour, hour + 1, instances(1)) for hour in (1, 2, 3)]
    pending = lease(ledger, 24 * 365, 24 * 366, whole())
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    retention = Retention(ledger.runner, RetentionDays(leases=10))
    ledger.clock.move(24 * 3_600)
    worker.run()
    ledger.clock.move(9 * 24 * 3_600)
    retention.run()
    assert len(read_tables(database_url)["leases"]) == 4
    ledger.clock.move(2 * 24 * 3_600)
    few = RemoveEndedLeases(seconds=10 * 24 * 3_600, count_max=1)
    assert ledger.runner.write(remove_ended_leases, SERVICE, few) == 1
    retention.run()
    tables = read_tables(database_url)
    assert [row["uuid"] for row in tables["leases"]] == [pending.uuid]
    assert len(tables["lease_reservations"]) == 1
    assert ended[0].uuid not in {row["uuid"] for row in tables["leases"]}


def test_leases_are_kept_without_a_retention_time(ledger, database_url):
    lease(ledger, 1, 2)
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    ledger.clock.move(1_000 * 24 * 3_600)
    worker.run()
    ledger.clock.move(1_000 * 24 * 3_600)
    Retention(ledger.runner, RetentionDays()).run()
    assert len(read_tables(database_url)["leases"]) == 1
