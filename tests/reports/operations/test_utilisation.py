"""Node hours of real allocations and leases, from their events."""

from dibs.access.access import EVERY_PROJECT, SERVICE, VisibleProjects
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.endings import end_due_allocation
from dibs.conductor.leases import LeaseWorker
from dibs.machines.operations.nodes import delete_node
from dibs.reports.operations.utilisation import ReportUtilisation, report_utilisation
from tests import lease_builders as leases
from tests.allocation_builders import allocate, force, release
from tests.builders import Ledger


def hours(ledger: Ledger, projects: VisibleProjects = EVERY_PROJECT) -> dict[tuple[str, str | None], int]:
    """Return the node hours of all weeks by class and project, rounded."""
    command = ReportUtilisation(projects=projects, weeks=53)
    found: dict[tuple[str, str | None], float] = {}
    for row in ledger.runner.read(report_utilisation, SERVICE, command).rows:
        key = (row.resource_class, row.project)
        found[key] = found.get(key, 0) + row.node_hours
    return {key: round(value) for key, value in found.items()}


def test_allocation_counts_from_its_grant_to_its_end(ledger: Ledger) -> None:
    for owner in ("p1", "p2"):
        node = ledger.enrol(resource_class="gold", state="active", lessee=owner)
        made = allocate(ledger, node=node.uuid, owner=owner)
    ledger.clock.move(2 * 3_600)
    assert hours(ledger) == {("gold", "p1"): 2, ("gold", "p2"): 2}
    force(ledger, node, provision_state="available")
    release(ledger, made)
    ledger.clock.move(10 * 3_600)
    assert hours(ledger) == {("gold", "p1"): 12, ("gold", "p2"): 2}
    assert hours(ledger, frozenset({"p2"})) == {("gold", "p2"): 2}
    assert hours(ledger, frozenset()) == {}


def test_allocation_whose_end_is_only_reported_goes_on(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", state="active")
    rules = LifetimeRules(releases=False, notice_seconds=0)
    made = allocate(ledger, node=node.uuid, lifetime=Lifetime(seconds=3_600), lifetime_rules=rules)
    ledger.clock.move(2 * 3_600)
    ledger.runner.write(end_due_allocation, SERVICE, made.uuid)
    ledger.clock.move(3_600)
    assert hours(ledger) == {("gold", None): 3}


def test_deleted_node_counts_for_the_class_that_it_had(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", state="active")
    allocate(ledger, node=node.uuid)
    ledger.clock.move(2 * 3_600)
    ledger.change(node, maintenance=True)
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert hours(ledger) == {("gold", None): 2}


def test_lease_counts_while_its_project_may_use_the_host(ledger: Ledger) -> None:
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 4, leases.whole())
    assert hours(ledger) == {}
    for moment, expected in ((1, 0), (3, 2), (4, 3), (6, 3)):
        ledger.clock.move((leases.at(moment) - ledger.clock()) / 1_000_000 + 1)
        worker.run_events()
        assert sum(hours(ledger).values()) == expected
    assert hours(ledger) == {("gold", leases.OWNER.actor.project): 3}


def test_number_of_statements_does_not_depend_on_the_uses(ledger: Ledger) -> None:
    def count(tx) -> int:
        report_utilisation(tx, SERVICE, ledger.clock(), ReportUtilisation(projects=EVERY_PROJECT, weeks=4))
        return tx.statements

    before = ledger.store.read(count)
    for _ in range(3):
        node = ledger.enrol(resource_class="gold", state="active")
        allocate(ledger, node=node.uuid)
    assert ledger.store.read(count) == before
