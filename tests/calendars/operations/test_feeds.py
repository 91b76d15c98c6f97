"""What feeds show: bounded, current, and nothing that the creator of the calendar may not see."""

import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.calendars.model.access import listed_leases
from dibs.calendars.model.calendars import DAY, ENTRIES_MAX
from dibs.calendars.operations import feeds
from dibs.calendars.operations.feeds import ReadFeed, read_feed
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.nodes import Node
from tests.allocation_builders import force
from tests.builders import Ledger, trusted
from tests.calendars.builders import SYSTEM, feed_of, names, open_calendar, someone
from tests.lease_builders import at, change, delete, lease, make_host, register, whole
from tests.provider_builders import statements

SECONDS = 3_600


def allocate_on(ledger: Ledger, node: Node, name: str, *, user: str = "u", project: str = "p") -> None:
    """Allocate a node for an hour, as a user of a project."""
    force(ledger, node, provision_state="active")
    access = trusted(user=user, project=project)
    command = CreateAllocation(name=name, owner=project, node=node.uuid, lifetime=Lifetime(seconds=SECONDS))
    ledger.runner.write(create_allocation, access, command)


@pytest.fixture
def fleet(ledger: Ledger) -> dict[str, Node]:
    """Two projects, each with a node, a lease and an allocation; a second user in one of them."""
    found = {}
    for project in ("p", "q"):
        leased = ledger.enrol(name=f"leased-{project}", resource_class="gold", owner=project)
        host = register(ledger, leased)
        for user in ("u", "v"):
            access = trusted(user=user, project=project, roles=frozenset({"member"}))
            start = 1 if user == "u" else 10
            lease(ledger, start, start + 2, whole(), access=access, name=f"lease-{project}-{user}")
        assert host.name
        allocated = ledger.enrol(name=f"allocated-{project}", resource_class="gold", owner=project)
        allocate_on(ledger, allocated, f"allocation-{project}", project=project)
        found |= {leased.name or "": leased, allocated.name or "": allocated}
    return found


OF_P = {"lease-p-u", "lease-p-v", "allocation-p"}
OF_Q = {"lease-q-u", "lease-q-v", "allocation-q"}
ALLOCATIONS = {"allocation-p", "allocation-q"}


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize(
    ("actor", "values", "shown"),
    [
        (someone("reader"), {}, OF_P),
        (someone("member"), {}, OF_P),
        (someone("admin"), {}, OF_P),
        (someone("admin", "q"), {}, OF_Q),
        (someone("member", "other"), {}, set()),
        (someone("member"), {"mine": True}, {"lease-p-u", "allocation-p"}),
        (someone("admin"), {"mine": True}, {"lease-p-u", "allocation-p"}),
        (someone("member", user="v"), {"mine": True}, {"lease-p-v"}),
        (someone("member"), {"node": "leased-p"}, {"lease-p-u", "lease-p-v"}),
        (someone("member"), {"node": "leased-p", "mine": True}, {"lease-p-u"}),
        (someone("member"), {"node": "allocated-p"}, {"allocation-p"}),
        (SYSTEM, {"project": None}, OF_P | OF_Q),
        (SYSTEM, {"project": "q"}, OF_Q),
        (SYSTEM, {"project": None, "node": "leased-q"}, {"lease-q-u", "lease-q-v"}),
        # A reader of the system lists every allocation, but by Blazar's rules no lease.
        (Actor(user="r", roles=frozenset({"reader"}), system_scope=True), {"project": None}, ALLOCATIONS),
    ],
)
def test_feed_shows_what_its_creator_may_list_of_one_project(
    ledger: Ledger, actor: Actor, values: dict[str, object], shown: set[str]
) -> None:
    assert names(ledger, open_calendar(ledger, actor, **values)) == shown


@pytest.mark.usefixtures("fleet")
def test_rights_are_those_of_the_moment_at_which_the_feed_is_read(ledger: Ledger) -> None:
    """A site that changes its policy changes what existing tokens show."""
    calendar = open_calendar(ledger, someone())
    rules = MachinePolicy().access(someone()).rules

    class NoAllocations:
        calls_services = False

        def allows(self, rule: str, actor: Actor, target: object) -> bool:
            return not rule.startswith("baremetal:allocation") and rules.allows(rule, actor, target)  # type: ignore[arg-type]

    access = type(SERVICE)(actor=calendar.creator, rules=NoAllocations())
    projects = listed_leases(LeasePolicy().access(calendar.creator))
    feed = ledger.runner.read(read_feed, access, ReadFeed(calendar=calendar, lease_projects=projects))
    assert {entry.name for entry in feed.entries} == OF_P - ALLOCATIONS
    feed = ledger.runner.read(read_feed, access, ReadFeed(calendar=calendar, lease_projects=frozenset()))
    assert feed.entries == ()


def test_node_that_its_creator_sees_no_longer_has_no_feed(ledger: Ledger, fleet: dict[str, Node]) -> None:
    calendar = open_calendar(ledger, someone(), node="leased-p")
    assert feed_of(ledger, calendar).title == "Dibs node leased-p p"
    ledger.change(fleet["leased-p"], owner="q")
    with pytest.raises(NodeNotFound):
        feed_of(ledger, calendar)


def test_names_of_nodes_are_shown_as_far_as_the_creator_sees_them(ledger: Ledger, fleet: dict[str, Node]) -> None:
    by_name = {entry.name: entry for entry in feed_of(ledger, open_calendar(ledger, someone())).entries}
    assert by_name["lease-p-u"].nodes == ("leased-p",)
    assert by_name["allocation-p"].nodes == ("allocated-p",)
    for node in ("leased-p", "allocated-p"):
        ledger.change(fleet[node], owner="q")
    assert {entry.nodes for entry in feed_of(ledger, open_calendar(ledger, someone())).entries} == {()}


def test_moved_lease_moves_and_deleted_lease_is_absent(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 1, 3, whole(), name="training")
    calendar = open_calendar(ledger, someone())
    (before,) = feed_of(ledger, calendar).entries
    assert (before.uuid, before.start, before.end) == (made.uuid, made.start_at, made.end_at)
    change(ledger, made, end_at=at(4))
    (after,) = feed_of(ledger, calendar).entries
    assert (after.uuid, after.end) == (made.uuid, at(4))
    assert after.changed_at > before.changed_at
    delete(ledger, made)
    assert feed_of(ledger, calendar).entries == ()


def test_old_and_far_leases_are_left_out(ledger: Ledger) -> None:
    make_host(ledger)
    lease(ledger, 1, 2, whole(), name="soon")
    lease(ledger, 24 * 300, 24 * 300 + 1, whole(), name="later")
    lease(ledger, 24 * 370, 24 * 370 + 1, whole(), name="too far")
    calendar = open_calendar(ledger, someone())
    assert names(ledger, calendar) == {"soon", "later"}
    ledger.clock.move(31 * DAY / 1_000_000)
    assert names(ledger, calendar) == {"later", "too far"}


def test_feed_has_a_bounded_number_of_entries_those_that_end_first(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ENTRIES_MAX == 400
    monkeypatch.setattr(feeds, "ENTRIES_MAX", 3)
    make_host(ledger)
    for hour in range(5, 0, -1):
        lease(ledger, hour, hour + 1, whole(), name=f"at-{hour}")
    assert names(ledger, open_calendar(ledger, someone())) == {"at-1", "at-2", "at-3"}


@pytest.mark.usefixtures("fleet")
def test_number_of_statements_does_not_grow_with_the_entries(ledger: Ledger) -> None:
    calendar = open_calendar(ledger, someone(), node="leased-p")
    projects = listed_leases(LeasePolicy().access(calendar.creator))
    access = MachinePolicy().access(calendar.creator)

    def read() -> None:
        ledger.runner.read(read_feed, access, ReadFeed(calendar=calendar, lease_projects=projects))

    first = statements(ledger, read)
    for hour in range(20, 30, 2):
        lease(ledger, hour, hour + 1, whole(), access=trusted(user="u", project="p"), name=f"at-{hour}")
    assert statements(ledger, read) == first
