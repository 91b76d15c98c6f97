"""Why nodes are not available, and when they will be."""

import uuid
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.why import ExplainNodes, Explanation, explain_nodes
from dibs.errors import BadValue
from dibs.ledger.model.errors import InvalidTrait
from tests import lease_builders as leases
from tests.allocation_builders import allocate_node
from tests.builders import Ledger
from tests.hold_builders import hold, put


def why(ledger: Ledger, **values: Any) -> Explanation:
    return ledger.runner.read(explain_nodes, SERVICE, ExplainNodes(resource_class="gold", **values))


def test_free_nodes_are_available_now(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold")
    ledger.enrol(resource_class="gold")
    ledger.enrol(resource_class="silver")
    found = why(ledger)
    assert (found.fits, found.free, found.reasons, found.text) == (True, 2, {}, "2 nodes of class gold: 2 free")
    assert found.earliest is not None
    assert not why(ledger, count=3).fits


def test_each_node_that_is_not_free_counts_for_one_reason(ledger: Ledger) -> None:
    used, broken, plain, free = (ledger.enrol(resource_class="gold") for _ in range(4))
    put(ledger, used, instance_uuid=str(uuid.uuid4()))
    put(ledger, broken, maintenance=True)
    good = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_GPU",))
    hold(ledger, good, access=SERVICE)
    found = why(ledger, traits=("CUSTOM_GPU",))
    assert (found.fits, found.free) == (False, 0)
    assert found.reasons == {"lacks:CUSTOM_GPU": 2, "in_use": 1, "in_maintenance": 1, "held": 1}
    assert found.text.startswith("5 nodes of class gold: 2 lack CUSTOM_GPU")
    among = why(ledger, candidate_nodes=(plain.uuid, free.uuid, used.uuid))
    assert (among.free, among.reasons, among.text) == (
        2,
        {"in_use": 1},
        "3 candidate nodes of class gold: 2 free, 1 in use",
    )


def test_earliest_time_is_the_end_of_holds(ledger: Ledger) -> None:
    ends = []
    for seconds in (300, 100, 200):
        node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
        ends.append(hold(ledger, node, access=SERVICE, seconds=seconds).expires_at)
    hold(ledger, ledger.enrol(resource_class="gold"), access=SERVICE, seconds=50)
    assert why(ledger, traits=("CUSTOM_A",)).earliest == ends[1]
    assert why(ledger, traits=("CUSTOM_A",), count=2).earliest == ends[2]
    assert why(ledger, traits=("CUSTOM_A",), count=4).earliest is None


def test_earliest_time_is_the_end_of_the_last_lease(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    last = leases.lease(ledger, 3, 4, leases.whole())
    held = hold(ledger, node, access=SERVICE, seconds=60)
    found = why(ledger)
    assert (found.fits, found.earliest) == (False, last.end_at)
    assert held.expires_at < last.end_at


def test_earliest_time_is_the_end_of_an_allocation(ledger: Ledger) -> None:
    rules = LifetimeRules(grace_seconds=60)
    ends = []
    for seconds in (300, 100):
        allocate_node(ledger, lifetime=Lifetime(seconds=seconds), lifetime_rules=rules)
        ends.append(ledger.clock() + (seconds + 60) * 1_000_000)
    assert why(ledger).earliest == pytest.approx(ends[1], abs=1_000)
    assert why(ledger, count=2).earliest == pytest.approx(ends[0], abs=1_000)
    allocate_node(ledger)
    assert why(ledger, count=3).earliest is None, "an allocation without an end"
    ledger.clock.move(1_000)
    assert why(ledger).earliest == pytest.approx(ledger.clock(), abs=1_000), "its node is about to be released"


def test_node_that_an_allocation_waits_for_is_not_free(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold")
    ledger.enrol(resource_class="gold")
    waiting = CreateAllocation(resource_class="gold", wait_seconds=60)
    ledger.runner.write(create_allocation, SERVICE, waiting)
    found = why(ledger)
    assert (found.free, found.reasons) == (1, {"promised": 1})


def test_class_without_nodes_has_no_earliest_time(ledger: Ledger) -> None:
    found = why(ledger)
    assert (found.fits, found.free, found.text, found.earliest) == (False, 0, "no nodes of class gold", None)


def test_invalid_traits_and_unknown_candidates_are_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidTrait):
        why(ledger, traits=("nonsense",))
    with pytest.raises(BadValue, match="cannot be found: nosuch"):
        why(ledger, candidate_nodes=("nosuch",))
