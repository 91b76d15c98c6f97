"""Why nodes are not available, and when they will be."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE, Access
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.model.verdicts import Prospect, Verdict
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.why import ExplainNodes, Explanation, JudgeNodes, explain_nodes, judge_nodes
from dibs.errors import BadValue
from dibs.ledger.model.errors import InvalidTrait
from tests import lease_builders as leases
from tests.allocation_builders import allocate, allocate_node
from tests.builders import Ledger
from tests.hold_builders import hold, put
from tests.provider_builders import statements
from tests.quota_builders import limit


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
    assert (found.reasons, list(found.offers)) == ({"missing": 1}, [])


def test_more_nodes_than_there_are_are_missing(ledger: Ledger) -> None:
    node, _ = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    found = why(ledger, count=3)
    assert (found.reasons, found.text) == ({"missing": 1}, "3 nodes wanted together, 2 free")
    hold(ledger, node, access=SERVICE)
    found = why(ledger, count=3)
    assert (found.reasons, found.text) == (
        {"held": 1, "missing": 1},
        "3 nodes wanted together, 1 free; 1 node of class gold: 1 held by a reservation",
    )


def test_offers_name_what_is_free_in_a_number_of_statements_that_does_not_grow(ledger: Ledger) -> None:
    def ask() -> Explanation:
        return why(ledger, traits=("CUSTOM_A", "CUSTOM_B"), count=2)

    ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A", "CUSTOM_B"))
    ask()  # Loads the traits into the index.
    few = statements(ledger, ask)
    for _ in range(2):
        ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
        ledger.enrol(resource_class="tin", with_traits=("CUSTOM_A", "CUSTOM_B"))
        ledger.enrol(resource_class="iron", with_traits=("CUSTOM_A",))
    assert [(offer.kind.value, offer.count or offer.resource_class or offer.without) for offer in ask().offers] == [
        ("fewer", 1),
        ("without", ("CUSTOM_B",)),
        ("class", "tin"),
    ]
    assert statements(ledger, ask) == few
    allocate(ledger, resource_class="tin", wait_seconds=60)
    assert "class" not in [offer.kind.value for offer in ask().offers], "one of the nodes goes to the queue"
    assert list(why(ledger, count=9, with_offers=False).offers) == []


def test_a_wait_is_offered_only_when_the_queue_leaves_nodes(ledger: Ledger) -> None:
    hold(ledger, ledger.enrol(resource_class="gold"), access=SERVICE, seconds=120)
    assert [offer.kind.value for offer in why(ledger).offers] == ["later"]
    allocate(ledger, wait_seconds=600)
    assert list(why(ledger).offers) == []
    assert why(ledger).earliest is not None


def judged(ledger: Ledger, access: Access = SERVICE, **values: Any) -> list[Verdict]:
    command = JudgeNodes(
        **{
            "resource_class": "gold",
            "allocation_projects": EVERY_PROJECT,
            "lease_projects": EVERY_PROJECT,
            "limit": 10,
            **values,
        }
    )
    return ledger.runner.read(judge_nodes, access, command)


def test_each_node_has_one_reason_and_what_is_in_the_way(ledger: Ledger) -> None:
    booked = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    leases.register(ledger, booked)
    lease = leases.lease(ledger, 1, 2, leases.whole())
    allocation, _ = allocate_node(ledger, lifetime=Lifetime(seconds=60))
    ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    ledger.enrol(resource_class="tin")
    traits = ("CUSTOM_A",)
    first, lacking, free = judged(ledger, traits=traits)
    assert (first.reason, first.until) == ("booked", lease.end_at)
    assert first.blocked_by is not None
    assert first.blocked_by.uuid == lease.uuid
    assert (lacking.reason, lacking.blocked_by) == ("lacks:CUSTOM_A", None)
    assert (free.prospect, free.reason) == (Prospect.FREE, None)
    _, used, _ = judged(ledger)
    assert (used.reason, used.blocked_by and used.blocked_by.uuid) == ("in_use", allocation.uuid)
    hidden = judged(ledger, traits=traits, lease_projects=frozenset({"other"}))[0].blocked_by
    assert hidden is not None
    assert (hidden.kind, hidden.uuid, hidden.end) == ("lease", None, lease.end_at)
    assert [each.node.uuid for each in judged(ledger, limit=1, marker=used.node.uuid)] == [free.node.uuid]
    with pytest.raises(BadValue, match="no-such"):
        judged(ledger, marker="no-such")
    allocate(ledger, wait_seconds=60)
    assert [each.reason for each in judged(ledger)] == ["booked", "in_use", "promised"]


def test_pages_of_reasons_take_a_number_of_statements_that_does_not_grow(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    judged(ledger, traits=("CUSTOM_A",))
    few = statements(ledger, lambda: judged(ledger, traits=("CUSTOM_A",)))
    for _ in range(4):
        leases.register(ledger, ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",)))
    leases.lease(ledger, 1, 2, leases.whole(2))
    assert statements(ledger, lambda: judged(ledger, traits=("CUSTOM_A",))) == few


def test_invalid_traits_and_unknown_candidates_are_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidTrait):
        why(ledger, traits=("nonsense",))
    with pytest.raises(BadValue, match="cannot be found: nosuch"):
        why(ledger, candidate_nodes=("nosuch",))


def test_quota_of_the_project_is_a_reason(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.enrol(resource_class="gold", owner="p")
    limit(ledger, "p", "gold", nodes=1)
    assert why(ledger, owner="p").quota is None
    found = why(ledger, owner="p", count=2)
    assert (found.fits, found.free, found.earliest) == (False, 2, None)
    assert found.quota == "Quota exceeded for nodes of class gold of project p: limit 1, used 0, asked 2."
    assert found.text == f"2 nodes of class gold of project p: 2 free. {found.quota}"
    assert why(ledger, count=2).fits, "a caller that acts for no project has no quota"


def test_offers_are_within_the_quota_of_the_project(ledger: Ledger) -> None:
    for resource_class in ("gold", "gold", "silver", "silver", "silver"):
        ledger.enrol(resource_class=resource_class, owner="p")
    assert {offer.kind.value for offer in why(ledger, owner="p", count=3).offers} == {"fewer", "class"}
    limit(ledger, "p", "silver", nodes=2)
    assert {offer.kind.value for offer in why(ledger, owner="p", count=3).offers} == {"fewer"}
    limit(ledger, "p", queued=0)
    found = why(ledger, owner="p", count=3)
    assert (found.offers, "queued allocations" in str(found.quota)) == ([], True)
