"""Give nodes to a queue entry, or fail it."""

import pytest

from dibs.allocations.model.outcomes import Outcome
from dibs.ledger.queries import traits
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from tests.allocation_builders import Steps, allocate, allocate_batch, gold, holders, release, show
from tests.builders import Ledger
from tests.provider_builders import statements


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def test_granted_node_has_the_instance_the_claim_and_the_traits(ledger: Ledger, steps: Steps) -> None:
    node = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    allocation = allocate(ledger, traits=("CUSTOM_A",))
    assert steps.found(allocation) == [node.uuid]
    assert steps.grant(allocation, node.uuid) is Outcome.SETTLED
    granted, after = show(ledger, allocation), ledger.node(node)
    assert (granted.state, granted.node_uuid, granted.last_error) == ("active", node.uuid, None)
    assert (after.instance_uuid, after.instance_info) == (allocation.uuid, {"traits": ["CUSTOM_A"]})
    assert holders(ledger, node) == [allocation.uuid]


def test_node_that_an_entry_ahead_waits_for_is_not_granted(ledger: Ledger, steps: Steps) -> None:
    """The younger entry accepts both nodes, the older one only the node with the trait."""
    rare = gold(ledger, with_traits=("CUSTOM_GPU",))
    older, younger = allocate(ledger, wait_seconds=60, traits=("CUSTOM_GPU",)), allocate(ledger, wait_seconds=60)
    plain = gold(ledger)
    assert steps.ready() == [older.uuid, younger.uuid]
    assert steps.found(younger) == [plain.uuid]
    assert steps.grant(younger, rare.uuid) is Outcome.LOST
    assert steps.grant(younger, plain.uuid) is Outcome.SETTLED
    assert steps.grant(older, rare.uuid) is Outcome.SETTLED
    assert {show(ledger, each).state for each in (older, younger)} == {"active"}


def test_entry_that_another_conductor_took_over_is_left_alone(ledger: Ledger, steps: Steps) -> None:
    node, allocation = gold(ledger), allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == [1]
    assert steps.grant(allocation, node.uuid) is Outcome.SETTLED
    assert (show(ledger, allocation).state, ledger.node(node).instance_uuid) == ("allocating", None)
    steps.fail(allocation, "not its own")
    assert show(ledger, allocation).state == "allocating"
    successor.grant(allocation, node.uuid)
    assert show(ledger, allocation).state == "active"


def test_node_that_lost_a_required_trait_is_not_granted(ledger: Ledger, steps: Steps) -> None:
    node, allocation = gold(ledger, with_traits=("CUSTOM_A",)), allocate(ledger, traits=("CUSTOM_A",))
    assert steps.found(allocation) == [node.uuid]
    ledger.run(lambda tx: traits.remove(tx, node.id, ["CUSTOM_A"]))
    assert steps.grant(allocation, node.uuid) is Outcome.LOST
    assert (show(ledger, allocation).state, ledger.node(node).instance_uuid) == ("allocating", None)


def test_failed_entry_keeps_its_reason_and_gets_no_node(ledger: Ledger, steps: Steps) -> None:
    allocation = allocate(ledger)
    steps.fail(allocation, "no nodes")
    assert (show(ledger, allocation).state, show(ledger, allocation).last_error) == ("error", "no nodes")
    node = gold(ledger)
    assert steps.grant(allocation, node.uuid) is Outcome.SETTLED
    assert ledger.node(node).instance_uuid is None


def test_each_allocation_of_a_batch_gets_a_node_of_its_own(ledger: Ledger, steps: Steps) -> None:
    for _ in range(4):
        gold(ledger)
    batch = allocate_batch(ledger, 3)
    assert steps.due() == [batch[0].batch]
    assert steps.grant(batch[0], *steps.found(batch[0])) is Outcome.SETTLED
    granted = [show(ledger, allocation) for allocation in batch]
    assert [allocation.state for allocation in granted] == ["active"] * 3
    assert len({allocation.node_uuid for allocation in granted}) == 3
    assert steps.due() == []


def test_batch_that_loses_one_node_gets_none(ledger: Ledger, steps: Steps) -> None:
    enrolled = [gold(ledger) for _ in range(3)]
    batch = allocate_batch(ledger, 2)
    found = steps.found(batch[0])
    lost = next(node for node in enrolled if node.uuid == found[1])
    ledger.change(lost, maintenance=True)
    assert steps.grant(batch[0], *found) is Outcome.LOST
    assert {show(ledger, allocation).state for allocation in batch} == {"allocating"}
    assert {ledger.node(node).instance_uuid for node in enrolled} == {None}


def test_deleted_allocation_of_a_batch_gets_no_node(ledger: Ledger, steps: Steps) -> None:
    gold(ledger)
    gold(ledger)
    deleted, other = allocate_batch(ledger, 2)
    release(ledger, deleted)
    found = steps.found(other)
    assert len(found) == 1
    assert steps.grant(other, *found) is Outcome.SETTLED
    assert show(ledger, other).state == "active"


def test_grant_to_one_entry_takes_few_statements(ledger: Ledger, steps: Steps) -> None:
    node, allocation = gold(ledger), allocate(ledger)
    assert statements(ledger, lambda: steps.grant(allocation, node.uuid)) == 13
    assert holders(ledger, node) == [allocation.uuid]


# --- many entries in one transaction ---


def test_many_entries_take_as_many_statements_as_two(ledger: Ledger, steps: Steps) -> None:
    def grant(count: int) -> None:
        chosen = [(allocate(ledger, traits=("CUSTOM_A",)), [gold(ledger, with_traits=("CUSTOM_A",)).uuid])]
        chosen += [(allocate(ledger), [gold(ledger).uuid]) for _ in range(count - 1)]
        taken.append(statements(ledger, lambda: outcomes.extend(steps.grant_together(*chosen))))
        for allocation, (uuid,) in chosen:
            assert show(ledger, allocation).node_uuid == uuid

    taken: list[int] = []
    outcomes: list[Outcome] = []
    for count in (2, 32):
        grant(count)
    assert taken[0] == taken[1] <= 15
    assert set(outcomes) == {Outcome.SETTLED}


def test_nodes_granted_together_have_their_instances_claims_and_traits(ledger: Ledger, steps: Steps) -> None:
    first, second = gold(ledger, with_traits=("CUSTOM_A",)), gold(ledger)
    picky, plain = allocate(ledger, traits=("CUSTOM_A",)), allocate(ledger)
    steps.grant_together((plain, [second.uuid]), (picky, [first.uuid]))
    assert [ledger.node(each).instance_uuid for each in (first, second)] == [picky.uuid, plain.uuid]
    assert [ledger.node(each).instance_info for each in (first, second)] == [{"traits": ["CUSTOM_A"]}, {}]
    assert [holders(ledger, each) for each in (first, second)] == [[picky.uuid], [plain.uuid]]


def test_entry_that_loses_its_node_holds_up_no_other(ledger: Ledger, steps: Steps) -> None:
    taken, free = gold(ledger, maintenance=True), gold(ledger)
    loser, other = allocate(ledger), allocate(ledger)
    assert steps.grant_together((loser, [taken.uuid]), (other, [free.uuid])) == [Outcome.LOST, Outcome.SETTLED]
    assert [show(ledger, each).state for each in (loser, other)] == ["allocating", "active"]


def test_waiting_entry_that_loses_its_node_is_not_overtaken(ledger: Ledger, steps: Steps) -> None:
    taken, free = gold(ledger, maintenance=True), gold(ledger)
    older, younger = allocate(ledger, wait_seconds=60), allocate(ledger, wait_seconds=60)
    outcomes = steps.grant_together((older, [taken.uuid]), (younger, [free.uuid]))
    assert outcomes == [Outcome.LOST, Outcome.LOST]
    assert steps.grant(older, free.uuid) is Outcome.SETTLED


def test_entry_behind_may_not_take_the_node_of_another_conductors_entry(ledger: Ledger, steps: Steps) -> None:
    """Of the three oldest entries the second is that of another conductor: it takes the first node left to it."""
    nodes = [gold(ledger).uuid for _ in range(3)]
    first, foreign, third = (allocate(ledger, wait_seconds=60) for _ in range(3))
    assert steps.grant_together((first, nodes[:1]), (third, nodes[1:2])) == [Outcome.SETTLED, Outcome.LOST]
    assert steps.grant_together((foreign, nodes[1:2]), (third, nodes[2:])) == [Outcome.SETTLED, Outcome.SETTLED]


def test_settled_entry_leaves_the_others_their_nodes(ledger: Ledger, steps: Steps) -> None:
    unused, node = gold(ledger), gold(ledger)
    deleted, other = allocate(ledger), allocate(ledger)
    release(ledger, deleted)
    steps.grant_together((deleted, [unused.uuid]), (other, [node.uuid]))
    assert (ledger.node(unused).instance_uuid, ledger.node(node).instance_uuid) == (None, other.uuid)
