"""No path lets a project use more than its quota."""

import uuid
from collections.abc import Callable

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import ACTIVE, Lifetime
from dibs.allocations.operations.endings import RenewAllocation, renew_allocation
from dibs.database.hooks import Hooks
from dibs.leases.operations.updates import ReservationUpdate
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.machines.operations.holds import RenewHold, renew_hold
from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.operations.guard import QuotaGuard
from dibs.wiring.hooks import HOOKS, build_hooks, build_runner
from tests.allocation_builders import allocate, allocate_batch, release, show
from tests.builders import Ledger
from tests.hold_builders import hold
from tests.lease_builders import OWNER, at, booked, change, lease, register, shown, whole
from tests.provider_builders import statements
from tests.quota_builders import limit, used
from tests.server_builders import launch, node_flavor

Path = Callable[[Ledger], object]

WITHOUT_GUARD = [hook for hook in HOOKS.every(object) if not isinstance(hook, QuotaGuard)]


def backfilled(ledger: Ledger) -> object:
    node = ledger.enrol(resource_class="gold", state="active", owner="p")
    return allocate(ledger, node=node.uuid, owner="p")


def held(ledger: Ledger) -> object:
    return hold(ledger, ledger.enrol(resource_class="gold"), access=OWNER)


def allocated_from_hold(ledger: Ledger) -> object:
    made = hold(ledger, ledger.enrol(resource_class="gold", owner="p"), access=SERVICE)
    return allocate(ledger, hold=made.uuid, owner="p")


def instance_put_on_node(ledger: Ledger) -> object:
    return ledger.change(ledger.enrol(resource_class="gold", owner="p"), instance_uuid=str(uuid.uuid4()))


def launched(ledger: Ledger) -> object:
    ledger.enrol(resource_class="gold")
    return launch(ledger, node_flavor(ledger, "gold"))


def leased(ledger: Ledger) -> object:
    register(ledger, ledger.enrol(resource_class="gold"))
    return lease(ledger, 0, 1, whole())


PATHS: dict[str, Path] = {
    "backfill": backfilled,
    "hold": held,
    "allocation of a held node": allocated_from_hold,
    "instance of a node": instance_put_on_node,
    "server": launched,
    "lease": leased,
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_no_path_exceeds_the_nodes_of_a_project(ledger: Ledger, path: Path) -> None:
    limit(ledger, "p", nodes=1)
    path(ledger)
    assert used(ledger, "p").nodes == 1
    with pytest.raises(QuotaExceeded, match=r"nodes of project p: limit 1, used 1, asked 1\."):
        path(ledger)
    assert used(ledger, "p").nodes == 1
    limit(ledger, "p", nodes=2)
    path(ledger)


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_limit_of_one_class_leaves_the_others_free(ledger: Ledger, path: Path) -> None:
    limit(ledger, "p", "silver", nodes=0)
    path(ledger)
    limit(ledger, "p", "gold", nodes=1)
    with pytest.raises(QuotaExceeded, match="class gold"):
        path(ledger)


def test_lease_does_not_grow_beyond_the_nodes_of_its_project(ledger: Ledger) -> None:
    for _ in range(2):
        register(ledger, ledger.enrol(resource_class="gold"))
    limit(ledger, "p", nodes=1)
    made = lease(ledger, 0, 1, whole())
    grow = ReservationUpdate(uuid=made.reservations[0].uuid, values={"least": 2, "most": 2})
    with pytest.raises(QuotaExceeded, match="limit 1, used 0, asked 2"):
        change(ledger, made, grow)
    assert len(booked(ledger, made)) == 1
    limit(ledger, "p", nodes=2)
    change(ledger, made, grow)


def test_leases_at_different_times_share_a_node_of_the_quota(ledger: Ledger) -> None:
    for _ in range(3):
        register(ledger, ledger.enrol(resource_class="gold"))
    limit(ledger, "p", nodes=1)
    first = lease(ledger, 0, 1, whole())
    lease(ledger, 1, 2, whole())
    with pytest.raises(QuotaExceeded):
        lease(ledger, 0, 2, whole())
    with pytest.raises(QuotaExceeded):
        change(ledger, first, end_at=at(1.5))


def test_node_hours_are_counted_ahead(ledger: Ledger) -> None:
    for _ in range(2):
        register(ledger, ledger.enrol(resource_class="gold"))
    limit(ledger, "p", node_hours=3)
    made = lease(ledger, 0, 1, whole(2))
    with pytest.raises(QuotaExceeded, match=r"node-hours booked ahead of project p: limit 3, used 0, asked 4\."):
        change(ledger, made, end_at=at(2))
    with pytest.raises(QuotaExceeded, match=r"limit 3, used 2, asked 2\."):
        lease(ledger, 4, 6, whole())
    lease(ledger, 4, 5, whole())
    assert used(ledger, "p").node_hours == 3
    ledger.clock.move(4 * 3_600)
    assert used(ledger, "p").node_hours == 1


def test_renewals_count_as_node_hours(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", state="active", owner="p")
    allocation = allocate(ledger, node=node.uuid, owner="p", lifetime=Lifetime(seconds=3_600))
    made = hold(ledger, ledger.enrol(resource_class="gold"), access=OWNER)
    limit(ledger, "p", node_hours=2)
    longer = RenewAllocation(ident=allocation.uuid, lifetime=Lifetime(seconds=7_200))
    with pytest.raises(QuotaExceeded, match="node-hours"):
        ledger.runner.write(renew_allocation, SERVICE, longer)
    with pytest.raises(QuotaExceeded, match="node-hours"):
        ledger.runner.write(renew_hold, OWNER, RenewHold(uuid=made.uuid, seconds=7_000))
    shorter = RenewAllocation(ident=allocation.uuid, lifetime=Lifetime(seconds=600))
    ledger.runner.write(renew_allocation, SERVICE, shorter)


def test_duration_of_leases_is_limited(ledger: Ledger) -> None:
    register(ledger, ledger.enrol(resource_class="gold"))
    limit(ledger, "p", lease_seconds=3_600)
    with pytest.raises(QuotaExceeded, match=r"seconds of a lease of project p: limit 3600, used 0, asked 7200\."):
        lease(ledger, 0, 2, whole())
    made = lease(ledger, 0, 1, whole())
    with pytest.raises(QuotaExceeded):
        change(ledger, made, end_at=at(1.5))
    assert shown(ledger, made).end_at == at(1)


def test_queue_of_a_project_is_limited(ledger: Ledger) -> None:
    limit(ledger, "p", "gold", queued=2)
    allocate(ledger, owner="p", wait_seconds=60)
    with pytest.raises(QuotaExceeded, match=r"queued allocations of class gold of project p: limit 2, used 1, asked 2"):
        allocate_batch(ledger, 2, owner="p", wait_seconds=60)
    allocate(ledger, owner="p", wait_seconds=60)
    allocate(ledger, owner="q", wait_seconds=60)
    allocate(ledger, owner="p", resource_class="silver")
    with pytest.raises(QuotaExceeded):
        allocate(ledger, owner="p")
    assert used(ledger, "p", "gold").queued == 2


def test_project_over_its_quota_can_release_and_rename_and_shorten(ledger: Ledger) -> None:
    register(ledger, ledger.enrol(resource_class="gold"))
    made = lease(ledger, 0, 2, whole())
    node = ledger.enrol(resource_class="gold", state="active", owner="p")
    allocation = allocate(ledger, node=node.uuid, owner="p")
    limit(ledger, "p", nodes=0, node_hours=0, lease_seconds=0, queued=0)
    change(ledger, made, name="other")
    change(ledger, made, end_at=at(1))
    ledger.change(node, maintenance=True)
    release(ledger, allocation)


def test_hold_of_a_project_over_its_quota_becomes_an_allocation(ledger: Ledger) -> None:
    made = hold(ledger, ledger.enrol(resource_class="gold", owner="p"), access=OWNER)
    limit(ledger, "p", nodes=0)
    allocation = allocate(ledger, hold=made.uuid, owner="p")
    assert show(ledger, allocation).state == ACTIVE


def test_claims_through_placement_count_and_are_checked_only_if_the_site_wants_it(ledger: Ledger) -> None:
    limit(ledger, "p", nodes=0)

    def claim() -> None:
        request = ClaimRequest(
            consumer=str(uuid.uuid4()),
            resources={ledger.enrol(resource_class="gold").uuid: {"CUSTOM_GOLD": 1}},
            project_id="p",
            user_id="u",
        )
        ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))

    claim()
    assert used(ledger, "p").nodes == 1
    ledger.runner = build_runner(ledger.store, ledger.clock, hooks=build_hooks(placement_quotas=True))
    with pytest.raises(QuotaExceeded, match="limit 0, used 1, asked 1"):
        claim()


def test_number_of_statements_does_not_depend_on_what_the_project_has(ledger: Ledger) -> None:
    nodes = [ledger.enrol(resource_class="gold") for _ in range(6)]
    hold(ledger, nodes[0], access=OWNER)
    without = statements(ledger, lambda: hold(ledger, nodes[1], access=OWNER))
    limit(ledger, "p", nodes=100)
    few = statements(ledger, lambda: hold(ledger, nodes[2], access=OWNER))
    limit(ledger, "p", "gold", nodes=100)
    for node in nodes[3:5]:
        hold(ledger, node, access=OWNER)
    assert statements(ledger, lambda: hold(ledger, nodes[5], access=OWNER)) == few
    # The quota, and what nodes, leases and the queue tell.
    assert few == without + 4
    ledger.runner = build_runner(ledger.store, ledger.clock, hooks=Hooks(*WITHOUT_GUARD))
    unchecked = statements(ledger, lambda: hold(ledger, ledger.enrol(resource_class="gold"), access=OWNER))
    enrol = statements(ledger, lambda: ledger.enrol(resource_class="gold"))
    assert unchecked - enrol == without - 1
