"""Allocations that end at a time, with a notice before, and can be renewed until a lease needs their node."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation, Lifetime
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.model.lifetimes import LifetimeRules, Step
from dibs.allocations.operations.batches import RetryAllocation, retry_allocation
from dibs.allocations.operations.endings import (
    FindLatestEnd,
    NodeBusy,
    RenewAllocation,
    end_due_allocation,
    find_latest_end,
    list_due_allocations,
    postpone_end,
    renew_allocation,
)
from dibs.errors import BadValue, Forbidden
from dibs.leases.model.errors import NodeBooked, NotEnoughHosts
from dibs.leases.model.matching.latest_end import BOOKED, LIMITED
from dibs.machines.model.errors import WrongState
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from tests.allocation_builders import Steps, allocate, allocate_node, force, gold, holders, show
from tests.builders import Ledger, granted
from tests.law_checks import broken
from tests.lease_builders import at, find_later_start, lease, register, whole

RULES = LifetimeRules(seconds_max=600, notice_seconds=10, grace_seconds=5)
MINUTE = Lifetime(seconds=60)
SEES_ONLY = granted("baremetal:allocation:get", project="blue")


def minute(ledger: Ledger, **values):
    """Return an allocation that has a node for a minute, and the node."""
    return allocate_node(ledger, **{"lifetime": MINUTE, "lifetime_rules": RULES, **values})


def due(ledger: Ledger) -> list[str]:
    return ledger.runner.read(list_due_allocations, SERVICE, 10)


def look(ledger: Ledger, allocation: Allocation) -> Step:
    return ledger.runner.write(end_due_allocation, SERVICE, allocation.uuid)


def renew(ledger: Ledger, allocation: Allocation, access=SERVICE, rules=RULES, **lifetime) -> Allocation:
    command = RenewAllocation(ident=allocation.uuid, lifetime=Lifetime(**lifetime), rules=rules)
    return ledger.runner.write(renew_allocation, access, command)


def away(ledger: Ledger, moment: int | None) -> int | None:
    """Return how many seconds from now a moment is."""
    return None if moment is None else round((moment - ledger.clock()) / 1_000_000)


def test_an_allocation_ends_with_a_notice_before_and_a_grace_period(ledger):
    made, node = minute(ledger)
    assert due(ledger) == []
    ledger.clock.move(50)
    assert due(ledger) == [made.uuid]
    assert look(ledger, made) is Step.NOTICE
    assert (away(ledger, show(ledger, made).noticed_at), due(ledger)) == (0, [])
    ledger.clock.move(14)
    assert (due(ledger), ledger.node(node).instance_uuid) == ([], made.uuid)
    ledger.clock.move(1)
    assert look(ledger, made) is Step.END
    ended = show(ledger, made)
    assert (ended.state, ended.node_uuid) == ("error", None)
    assert ended.last_error == f"Its lifetime is over, so node {node.uuid} was released."
    released = ledger.node(node)
    assert (released.instance_uuid, released.instance_until, holders(ledger, node)) == (None, None, [])
    assert (due(ledger), look(ledger, made), broken(ledger)) == ([], Step.NOTHING, [])


def test_a_deployed_node_is_undeployed_and_a_busy_one_later(ledger):
    made, node = minute(ledger)
    force(ledger, node, provision_state="active", reservation="conductor-1")
    ledger.clock.move(65)
    with pytest.raises(NodeBusy):
        look(ledger, made)
    ledger.runner.write(postpone_end, SERVICE, made.uuid)
    assert (due(ledger), show(ledger, made).state) == ([], "active")
    ledger.clock.move(10)
    force(ledger, node, reservation=None)
    ledger.revive_conductor()
    assert look(ledger, made) is Step.END
    assert ledger.node(node).provision_state == "deleting"


def test_an_end_that_is_only_reported_keeps_the_node(ledger):
    rules = LifetimeRules(releases=False)
    made, node = minute(ledger, lifetime_rules=rules)
    assert ledger.node(node).instance_until is None
    ledger.clock.move(60)
    assert look(ledger, made) is Step.REPORT
    kept = show(ledger, made)
    assert (kept.state, kept.node_uuid, due(ledger)) == ("active", node.uuid, [])
    assert kept.last_error.startswith("Its lifetime is over. It keeps its node")


def test_a_lifetime_begins_with_the_node(ledger):
    steps = Steps(ledger, "conductor-1")
    made = allocate(ledger, lifetime=MINUTE, wait_seconds=600)
    node = gold(ledger)
    ledger.clock.move(100)
    assert (show(ledger, made).ends_at, due(ledger)) == (None, [])
    steps.grant(made, node.uuid)
    given = show(ledger, made)
    assert (given.state, away(ledger, given.ends_at)) == ("active", 60)
    assert ledger.node(node).instance_until == given.ends_at


def test_an_allocation_leaves_the_queue_at_the_end_that_its_client_named(ledger):
    made = allocate(ledger, lifetime=Lifetime(until=ledger.clock() + 60_000_000), wait_seconds=600)
    ledger.clock.move(60)
    assert look(ledger, made) is Step.END
    assert show(ledger, made).last_error == "Its lifetime is over, so it was withdrawn from the queue."
    ledger.revive_conductor()
    with pytest.raises(WrongState, match="has passed"):
        ledger.runner.write(retry_allocation, SERVICE, RetryAllocation(ident=made.uuid))


def test_a_retried_allocation_has_its_whole_lifetime_again(ledger):
    made, _ = minute(ledger)
    ledger.clock.move(65)
    look(ledger, made)
    ledger.revive_conductor()
    retried = ledger.runner.write(retry_allocation, SERVICE, RetryAllocation(ident=made.uuid, wait_seconds=60))
    assert (retried.lifetime, retried.ends_at, retried.noticed_at, due(ledger)) == (MINUTE, None, None, [])


def test_a_renewal_counts_from_now_and_gives_another_notice(ledger):
    made, node = minute(ledger)
    ledger.clock.move(50)
    look(ledger, made)
    renewed = renew(ledger, made)
    assert (away(ledger, renewed.ends_at), renewed.noticed_at) == (60, None)
    assert away(ledger, ledger.node(node).instance_until) == 65
    assert due(ledger) == []
    assert away(ledger, renew(ledger, made, seconds=5).ends_at) == 5, "an earlier end"
    until = ledger.clock() + 600_000_000
    assert renew(ledger, made, until=until).lifetime == Lifetime(until=until)


def test_a_renewal_gives_an_end_to_an_allocation_without_one_and_to_one_in_the_queue(ledger):
    endless, node = allocate_node(ledger)
    assert renew(ledger, endless, seconds=60).ends_at == ledger.node(node).instance_until - 5_000_000
    waiting = renew(ledger, allocate(ledger, wait_seconds=60), seconds=60)
    assert (waiting.lifetime, waiting.ends_at) == (MINUTE, None)


def test_a_renewal_is_refused(ledger):
    foreign = allocate(ledger, owner="blue", wait_seconds=600)
    with pytest.raises(Forbidden):
        renew(ledger, foreign, SEES_ONLY)
    made, _ = minute(ledger)
    with pytest.raises(BadValue, match="at most 600 seconds"):
        renew(ledger, made, seconds=601)
    ledger.clock.move(65)
    look(ledger, made)
    with pytest.raises(WrongState, match="has failed"):
        renew(ledger, made)


def test_a_renewal_needs_a_time_where_there_is_no_lifetime_and_no_default(ledger):
    made, _ = allocate_node(ledger)
    with pytest.raises(WrongState, match="has no end"):
        ledger.runner.write(renew_allocation, SERVICE, RenewAllocation(ident=made.uuid))


LONG_GRACE = LifetimeRules(grace_seconds=60)


def latest(ledger: Ledger, made, **rules):
    command = FindLatestEnd(ident=made.uuid, rules=LifetimeRules(grace_seconds=60, **rules))
    found = ledger.runner.read(find_latest_end, SERVICE, command)
    return found.latest, found.reason


def until_hour(ledger: Ledger, hours: float):
    made, node = allocate_node(ledger, lifetime=Lifetime(until=at(hours) - 60_000_000), lifetime_rules=LONG_GRACE)
    register(ledger, node)
    return made, node


def test_a_lease_books_a_node_from_the_end_of_its_allocation_on(ledger):
    made, _ = until_hour(ledger, 2)
    with pytest.raises(NotEnoughHosts, match="1 in use in that time"):
        lease(ledger, 1, 3, whole())
    assert find_later_start(ledger, 1, 3, whole()).moment == at(2)
    lease(ledger, 2, 3, whole())
    assert latest(ledger, made) == (at(2) - 60_000_000, BOOKED)
    with pytest.raises(NodeBooked):
        renew(ledger, made, rules=LONG_GRACE, until=at(2))
    assert renew(ledger, made, rules=LONG_GRACE, until=at(1)).ends_at == at(1)
    assert renew(ledger, made, rules=LONG_GRACE, until=at(2) - 60_000_000).ends_at == at(2) - 60_000_000
    assert broken(ledger) == []


def test_the_user_of_a_node_that_is_booked_later_deploys_it(ledger):
    _, node = until_hour(ledger, 2)
    lease(ledger, 2, 3, whole())
    ledger.revive_conductor()
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb="active"))
    assert ledger.node(node).provision_state == "deploying"


@pytest.mark.parametrize("state", ["endless", "protected"])
def test_a_node_that_its_user_does_not_leave_is_not_booked(ledger, state):
    if state == "endless":
        register(ledger, allocate_node(ledger)[1])
    else:
        force(ledger, until_hour(ledger, 2)[1], protected=True)
    with pytest.raises(NotEnoughHosts, match=r"1 in use\.$"):
        lease(ledger, 5, 6, whole())


def test_without_a_lease_the_operator_limits_the_time(ledger):
    made, _ = until_hour(ledger, 2)
    assert latest(ledger, made) == (None, "")
    moment, reason = latest(ledger, made, seconds_max=9 * 3_600)
    assert moment == pytest.approx(ledger.clock() + 9 * 3_600_000_000, abs=1_000)
    assert reason == LIMITED
    with pytest.raises(AllocationNotFound):
        ledger.runner.read(find_latest_end, SERVICE, FindLatestEnd(ident="no-such"))
