"""What occupies nodes, and what a caller sees of it."""

from typing import Any

from dibs.access.access import EVERY_PROJECT, SERVICE, VisibleProjects
from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Schedule
from dibs.allocations.operations.schedules import ShowCapacity, ShowSchedule, show_capacity, show_schedule
from dibs.machines.model.node_query import NodeQuery
from tests.allocation_builders import allocate_node, release
from tests.builders import Ledger
from tests.hold_builders import BLUE, hold
from tests.lease_builders import at, lease, register, whole
from tests.provider_builders import statements

COLUMNS = frozenset({"name", "resource_class"})


def read(ledger: Ledger, leases: VisibleProjects = EVERY_PROJECT, **options: Any) -> Schedule:
    query = NodeQuery(columns=COLUMNS, projects=EVERY_PROJECT, sort_key="resource_class", limit=options.pop("limit", 9))
    command = ShowSchedule(
        nodes=query, start=at(0), end=at(24), allocation_projects=leases, lease_projects=leases, **options
    )
    return ledger.runner.read(show_schedule, options.get("access", SERVICE), command)


def test_schedule_has_the_bookings_in_the_window_in_order(ledger: Ledger) -> None:
    node = ledger.enrol(name="n1", resource_class="gold")
    register(ledger, node)
    for start, end in ((10, 12), (2, 4), (30, 31)):
        lease(ledger, start, end, whole(), name=f"from {start}")
    schedule = read(ledger)
    assert schedule.hosts == {node.id: "n1"}
    found = [(each.kind, each.name, each.project, each.start, each.end) for each in schedule.occupations[node.id]]
    assert found == [(LEASE, "from 2", "p", at(2), at(4)), (LEASE, "from 10", "p", at(10), at(12))]


def test_schedule_has_allocations_and_holds_without_the_proof_of_a_hold(ledger: Ledger) -> None:
    allocation, used = allocate_node(ledger, name="mine")
    held = ledger.enrol(resource_class="gold")
    made = hold(ledger, held)
    schedule = read(ledger)
    (one,) = schedule.occupations[used.id]
    assert (one.kind, one.uuid, one.name) == (ALLOCATION, allocation.uuid, "mine")
    (other,) = schedule.occupations[held.id]
    assert (other.kind, other.end, other.project, other.uuid) == (HOLD, made.expires_at, BLUE.actor.project, None)


def test_of_other_projects_only_the_window_is_shown(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    lease(ledger, 2, 4, whole(), name="secret")
    (hidden,) = read(ledger, frozenset({"another"})).occupations[node.id]
    assert (hidden.start, hidden.end, hidden.visible) == (at(2), at(4), False)
    assert (hidden.name, hidden.uuid, hidden.project, hidden.status) == (None, None, None, None)
    (shown,) = read(ledger, frozenset({"p"})).occupations[node.id]
    assert shown.name == "secret"


def test_groups_count_the_nodes_of_all_pages(ledger: Ledger) -> None:
    for kind in ("gold", "gold", "silver"):
        ledger.enrol(resource_class=kind)
    ledger.enrol(resource_class="gold", maintenance=True)
    schedule = read(ledger, grouped=True, limit=2)
    assert [(group.value, group.total, group.available) for group in schedule.groups] == [
        ("gold", 3, 2),
        ("silver", 1, 1),
    ]
    assert (len(schedule.nodes), schedule.more) == (2, True)


def test_number_of_statements_does_not_depend_on_the_number_of_bookings(ledger: Ledger) -> None:
    counts = []
    for turn in range(2):
        for number in range(3):
            node = ledger.enrol(resource_class="gold")
            register(ledger, node)
            lease(ledger, 2 + 4 * turn + number, 3 + 4 * turn + number, whole())
        before = ledger.store.statistics.statements
        read(ledger, grouped=True)
        counts.append(ledger.store.statistics.statements - before)
    assert counts[0] == counts[1] <= 6


def test_capacity_counts_instances_bookings_and_nodes_out_of_service(ledger: Ledger) -> None:
    allocate_node(ledger)
    for values in ({"maintenance": True}, {}, {}):
        register(ledger, ledger.enrol(resource_class="gold", **values))
    lease(ledger, 5, 9, whole(2))
    step = at(1) - at(0)
    command = ShowCapacity(projects=EVERY_PROJECT, step=step, count=12)
    (found,) = ledger.runner.read(show_capacity, SERVICE, command)
    assert (found.resource_class, found.total, found.out) == ("gold", 4, 1)
    assert (found.taken[0], max(found.taken), found.taken[-1]) == (1, 3, 1)
    nothing = ShowCapacity(projects=frozenset({"another"}), step=step, count=2)
    assert ledger.runner.read(show_capacity, SERVICE, nothing) == []


def test_past_of_a_class_counts_instances_and_bookings_and_begins_with_the_first_event(ledger: Ledger) -> None:
    register(ledger, ledger.enrol(resource_class="gold"))
    lease(ledger, 1, 5, whole())
    allocation, _ = allocate_node(ledger)
    ledger.clock.move(2 * 3600)
    release(ledger, allocation)
    ledger.clock.move(5 * 3600)
    command = ShowCapacity(projects=EVERY_PROJECT, step=at(1) - at(0), count=1, before=100)
    (found,) = ledger.runner.read(show_capacity, SERVICE, command)
    assert (len(found.before), max(found.before), found.before[-1]) == (7, 2, 0)
    assert statements(ledger, lambda: ledger.runner.read(show_capacity, SERVICE, command)) <= 9
