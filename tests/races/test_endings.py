"""Of many conductors that end an allocation, one gives notice and one ends it; a renewal wins or is refused."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.lifetimes import LifetimeRules, Step
from dibs.allocations.operations.endings import (
    RenewAllocation,
    end_due_allocation,
    renew_allocation,
)
from dibs.leases.model.errors import NodeBooked, NotEnoughHosts
from dibs.machines.model.errors import WrongState
from tests.allocation_builders import allocate_node, force, show
from tests.builders import Ledger
from tests.law_checks import broken
from tests.lease_builders import at, lease, register, whole
from tests.races.crowd import all_at_once

CONDUCTORS = 8
RULES = LifetimeRules(notice_seconds=10)


def with_node(ledger: Ledger):
    """Return an allocation with a deployed node, and the node."""
    made, node = allocate_node(ledger, lifetime=Lifetime(seconds=60), lifetime_rules=RULES)
    force(ledger, node, provision_state="active")
    return made, node


def end(ledger: Ledger, uuid: str) -> Step:
    return ledger.runner.write(end_due_allocation, SERVICE, uuid)


def test_each_step_of_an_end_is_done_by_one_of_many_conductors(ledger):
    made, node = with_node(ledger)
    for seconds, step in ((50, Step.NOTICE), (10, Step.END)):
        ledger.clock.move(seconds)
        ledger.revive_conductor()
        done = all_at_once(CONDUCTORS, lambda _: end(ledger, made.uuid))
        assert sorted(each.name for each in done) == sorted([step.name] + ["NOTHING"] * (CONDUCTORS - 1))
    assert (show(ledger, made).state, ledger.node(node).provision_state) == ("error", "deleting")
    assert broken(ledger) == []


@pytest.mark.parametrize("round_number", range(3))
def test_a_renewal_keeps_the_node_or_is_refused(ledger, round_number):
    made, node = with_node(ledger)
    ledger.clock.move(60)
    ledger.revive_conductor()

    def act(number: int) -> str:
        if number % 2 == round_number % 2:
            return end(ledger, made.uuid).name
        command = RenewAllocation(ident=made.uuid, lifetime=Lifetime(seconds=600), rules=RULES)
        ledger.runner.write(renew_allocation, SERVICE, command)
        return "RENEWED"

    done = all_at_once(CONDUCTORS, act)
    unexpected = [each for each in done if isinstance(each, Exception) and not isinstance(each, WrongState)]
    assert not unexpected, unexpected
    kept = "RENEWED" in done
    assert kept != ("END" in done), done
    found = show(ledger, made)
    assert (found.state, ledger.node(node).provision_state) == (("active", "active") if kept else ("error", "deleting"))
    assert broken(ledger) == []


def test_a_node_is_renewed_or_booked_never_both(ledger):
    made, node = allocate_node(ledger, lifetime=Lifetime(until=at(2)))
    register(ledger, node)

    def act(number: int) -> str:
        if number % 2:
            lease(ledger, 2, 3, whole())
            return "booked"
        command = RenewAllocation(ident=made.uuid, lifetime=Lifetime(until=at(2.5)))
        ledger.runner.write(renew_allocation, SERVICE, command)
        return "renewed"

    done = all_at_once(CONDUCTORS, act)
    refused = [each for each in done if isinstance(each, Exception)]
    assert all(isinstance(each, NodeBooked | NotEnoughHosts) for each in refused), refused
    assert ("booked" in done) != ("renewed" in done), done
    assert done.count("booked") <= 1
