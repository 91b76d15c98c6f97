"""The conductor's side of allocations: finding, taking, waiting in line, failing, taking over."""

import uuid
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.operations.matching import (
    Fail,
    ListDead,
    ListDue,
    Outcome,
    Serve,
    TakeOverAllocations,
    TryNodes,
    fail_order,
    find_nodes,
    judge,
    list_dead,
    list_due_orders,
    take_over_allocations,
    try_nodes,
)
from dibs.allocations.operations.queue import LookAtLine, Order, look_at_line
from dibs.machines.model import states
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.queries import nodes
from tests.allocations.operations.test_allocations import ask, force, give_back, hold, holders, show
from tests.builders import Ledger


def register(ledger: Ledger, hostname: str) -> str:
    incarnation = str(uuid.uuid4())
    command = RegisterConductor(hostname=hostname, group="", drivers=("fake-hardware",), incarnation=incarnation)
    ledger.runner.write(register_conductor, SERVICE, command)
    return incarnation


@pytest.fixture
def mine(ledger: Ledger) -> str:
    """The incarnation of the only conductor."""
    return register(ledger, "conductor-1")


def find(ledger: Ledger, allocation: Allocation, incarnation: str, seed: int = 0) -> list[str]:
    command = Serve(order=Order(key=allocation.uuid), incarnation=incarnation, seed=seed)
    return [node for (node,) in ledger.runner.read(find_nodes, SERVICE, command)]


def take(ledger: Ledger, allocation: Allocation, node: Node, incarnation: str) -> Outcome:
    command = TryNodes(order=Order(key=allocation.uuid), incarnation=incarnation, nodes=(node.uuid,))
    return ledger.runner.write(try_nodes, SERVICE, command)


def conclude(ledger: Ledger, allocation: Allocation, incarnation: str, *, patient: bool = True) -> Outcome:
    order = Order(key=allocation.uuid)
    verdict = ledger.runner.read(judge, SERVICE, Serve(order=order, incarnation=incarnation, patient=patient))
    if isinstance(verdict, Outcome):
        return verdict
    ledger.runner.write(fail_order, SERVICE, Fail(order=order, incarnation=incarnation, reason=verdict))
    return Outcome.SETTLED


def due(ledger: Ledger, incarnation: str, count_max: int = 10) -> list[str]:
    command = ListDue(incarnation=incarnation, count_max=count_max)
    return [order.key for order in ledger.runner.read(list_due_orders, SERVICE, command)]


def gold(ledger: Ledger, **values: Any) -> Node:
    return ledger.enrol(**{"resource_class": "gold", **values})


def test_a_node_is_given_with_all_that_belongs_to_it(ledger: Ledger, mine: str) -> None:
    node = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    allocation = ask(ledger, traits=("CUSTOM_A",))
    assert find(ledger, allocation, mine) == [node.uuid]
    assert take(ledger, allocation, node, mine) is Outcome.SETTLED
    given, after = show(ledger, allocation), ledger.node(node)
    assert (given.state, given.node_uuid, given.last_error) == ("active", node.uuid, None)
    assert (after.instance_uuid, after.instance_info) == (allocation.uuid, {"traits": ["CUSTOM_A"]})
    assert holders(ledger, node) == [allocation.uuid]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"maintenance": True}, "in maintenance"),
        ({"state": states.MANAGEABLE}, "not available"),
        ({"power_state": None}, "with unknown power state"),
        ({"power_state": "error"}, "with unknown power state"),
        ({"instance_uuid": "171959d6-27fd-4102-9add-f26ead472dd0"}, "in use"),
        ({"retired": True}, "retired"),
        ({}, "lacks CUSTOM_A"),
    ],
)
def test_a_node_that_is_not_free_is_not_found_and_the_reason_is_told(
    ledger: Ledger, mine: str, values: dict[str, Any], reason: str
) -> None:
    node = gold(ledger, **values)
    allocation = ask(ledger, traits=("CUSTOM_A",) if not values else ())
    assert find(ledger, allocation, mine) == []
    assert take(ledger, allocation, node, mine) is Outcome.LOST
    assert conclude(ledger, allocation, mine) is Outcome.SETTLED
    assert show(ledger, allocation).last_error == f"1 node of class gold: 1 {reason}"
    assert show(ledger, allocation).state == "error"


def test_a_held_node_is_not_found(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    hold(ledger, node)
    allocation = ask(ledger)
    assert find(ledger, allocation, mine) == []
    conclude(ledger, allocation, mine)
    assert show(ledger, allocation).last_error == "1 node of class gold: 1 held by a reservation"


def test_only_candidates_and_nodes_of_the_project_are_found(ledger: Ledger, mine: str) -> None:
    theirs, leased, free = gold(ledger, owner="p"), gold(ledger, lessee="p"), gold(ledger)
    assert set(find(ledger, ask(ledger), mine)) == {theirs.uuid, leased.uuid, free.uuid}
    assert set(find(ledger, ask(ledger, owner="p"), mine)) == {theirs.uuid, leased.uuid}
    assert find(ledger, ask(ledger, candidate_nodes=(free.uuid,)), mine) == [free.uuid]
    nothing = ask(ledger, candidate_nodes=(free.uuid,), owner="p")
    conclude(ledger, nothing, mine)
    assert show(ledger, nothing).last_error == "no candidate nodes of class gold of project p"


def test_a_namesake_comes_first(ledger: Ledger, mine: str) -> None:
    for number in range(40):
        gold(ledger, name=f"db-{number}")
    for number in (0, 39):
        namesake = ledger.store.read(lambda tx, number=number: nodes.get(tx, f"db-{number}"))
        assert find(ledger, ask(ledger, name=f"db-{number}"), mine, seed=number)[0] == namesake.uuid


def test_those_who_look_at_the_same_time_look_in_different_orders(ledger: Ledger, mine: str) -> None:
    for _ in range(10):
        gold(ledger)
    allocation = ask(ledger)
    orders = [find(ledger, allocation, mine, seed) for seed in range(10)]
    assert len({tuple(order) for order in orders}) > 5
    assert len({order[0] for order in orders}) > 3


def test_a_node_is_found_wherever_the_search_begins(ledger: Ledger, mine: str) -> None:
    only = gold(ledger)
    for _ in range(20):
        ledger.enrol(resource_class="tin")
    allocation = ask(ledger)
    assert {tuple(find(ledger, allocation, mine, seed)) for seed in range(20)} == {(only.uuid,)}


def test_an_allocation_that_another_conductor_has_taken_over_is_left_alone(ledger: Ledger, mine: str) -> None:
    node, allocation = gold(ledger), ask(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = register(ledger, "heir")
    assert take_over(ledger, heir) == [1]
    assert take_over(ledger, heir) == []
    assert take(ledger, allocation, node, mine) is Outcome.SETTLED
    assert (show(ledger, allocation).state, ledger.node(node).instance_uuid) == ("allocating", None)
    ledger.change(node, maintenance=True)
    conclude(ledger, allocation, mine)
    assert show(ledger, allocation).state == "allocating"
    ledger.change(node, maintenance=False)
    take(ledger, allocation, node, heir)
    assert show(ledger, allocation).state == "active"


def take_over(ledger: Ledger, heir: str) -> list[int]:
    dead = ledger.runner.read(list_dead, SERVICE, ListDead())
    commands = [TakeOverAllocations(conductor_id=each, incarnation=heir) for each in dead]
    return [ledger.runner.write(take_over_allocations, SERVICE, command) for command in commands]


def test_allocations_of_the_living_are_not_taken_over(ledger: Ledger, mine: str) -> None:
    ask(ledger)
    assert take_over(ledger, register(ledger, "heir")) == []


def test_a_conductor_that_starts_again_finds_its_own_allocations(ledger: Ledger, mine: str) -> None:
    allocation = ask(ledger)
    again = register(ledger, "conductor-1")
    assert due(ledger, again) == [allocation.uuid]
    assert due(ledger, mine) == []


def test_while_the_only_node_is_locked_an_allocation_is_patient(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    force(ledger, node, reservation="conductor-1")
    allocation = ask(ledger)
    assert find(ledger, allocation, mine) == []
    assert conclude(ledger, allocation, mine) is Outcome.LATER
    assert conclude(ledger, allocation, mine, patient=False) is Outcome.SETTLED
    assert show(ledger, allocation).last_error == "1 node of class gold: 1 locked"


def test_serving_takes_few_statements_however_many_nodes_there_are(ledger: Ledger, mine: str) -> None:
    counts = []
    for count in (1, 60):
        for _ in range(count):
            gold(ledger, with_traits=("CUSTOM_A",))
        allocation = ask(ledger, traits=("CUSTOM_A",))
        before = ledger.store.statistics.statements
        found = find(ledger, allocation, mine)[0]
        command = TryNodes(order=Order(key=allocation.uuid), incarnation=mine, nodes=(found,))
        ledger.runner.write(try_nodes, SERVICE, command)
        assert show(ledger, allocation).state == "active"
        counts.append(ledger.store.statistics.statements - before)
    assert max(counts) <= 22


# --- waiting ---


def turns(ledger: Ledger, incarnation: str, count_max: int = 100) -> list[str]:
    command = LookAtLine(incarnation=incarnation, count_max=count_max)
    return [order.key for order in ledger.runner.read(look_at_line, SERVICE, command).orders]


def test_an_allocation_that_waits_fails_at_its_deadline_with_the_reasons(ledger: Ledger, mine: str) -> None:
    node = gold(ledger, maintenance=True)
    allocation = ask(ledger, wait_seconds=20)
    assert conclude(ledger, allocation, mine) is Outcome.WAITS
    assert (turns(ledger, mine), due(ledger, mine)) == ([], [])
    ledger.clock.move(21)
    assert (turns(ledger, mine), due(ledger, mine)) == ([], [allocation.uuid])
    assert conclude(ledger, allocation, mine) is Outcome.SETTLED
    assert show(ledger, allocation).last_error == "1 node of class gold: 1 in maintenance"
    assert ledger.node(node).instance_uuid is None


def test_an_allocation_that_waits_has_its_turn_when_a_node_becomes_free(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    first = ask(ledger)
    take(ledger, first, node, mine)
    allocation = ask(ledger, wait_seconds=60)
    assert turns(ledger, mine) == []
    give_back(ledger, first)
    assert turns(ledger, mine) == [allocation.uuid]
    assert take(ledger, allocation, node, mine) is Outcome.SETTLED
    assert show(ledger, allocation).node_uuid == node.uuid
    assert turns(ledger, mine) == []


def test_who_waits_longer_goes_first(ledger: Ledger, mine: str) -> None:
    older, younger, hasty = ask(ledger, wait_seconds=60), ask(ledger, wait_seconds=60), ask(ledger)
    node = gold(ledger)
    assert turns(ledger, mine) == [older.uuid]
    for allocation in (younger, hasty):
        assert find(ledger, allocation, mine) == []
        assert take(ledger, allocation, node, mine) is Outcome.LOST
    assert conclude(ledger, younger, mine) is Outcome.WAITS
    assert conclude(ledger, hasty, mine) is Outcome.LATER
    assert find(ledger, older, mine) == [node.uuid]
    take(ledger, older, node, mine)
    assert show(ledger, older).state == "active"
    assert conclude(ledger, hasty, mine) is Outcome.SETTLED
    assert show(ledger, hasty).last_error == "1 node of class gold: 1 in use"


def test_who_cannot_use_the_node_does_not_hold_up_those_behind(ledger: Ledger, mine: str) -> None:
    ask(ledger, wait_seconds=60, traits=("CUSTOM_GPU",))
    ask(ledger, wait_seconds=60, owner="p")
    allocation, node = ask(ledger, wait_seconds=60), gold(ledger)
    assert turns(ledger, mine) == [allocation.uuid]
    assert find(ledger, allocation, mine) == [node.uuid]
    assert take(ledger, allocation, node, mine) is Outcome.SETTLED


def test_each_in_line_takes_one_and_the_rest_is_for_those_behind(ledger: Ledger, mine: str) -> None:
    first, second, hasty = ask(ledger, wait_seconds=60), ask(ledger, wait_seconds=60), ask(ledger)
    free = {gold(ledger).uuid for _ in range(3)}
    assert turns(ledger, mine) == [first.uuid, second.uuid]
    assert set(find(ledger, first, mine)) == free
    assert len(find(ledger, second, mine)) == 2
    assert len(find(ledger, hasty, mine)) == 1


def test_nobody_takes_the_only_node_for_one_who_came_before(ledger: Ledger, mine: str) -> None:
    """The younger could have either; the older only that with the trait."""
    rare = gold(ledger, with_traits=("CUSTOM_GPU",))
    older, younger = ask(ledger, wait_seconds=60, traits=("CUSTOM_GPU",)), ask(ledger, wait_seconds=60)
    plain = gold(ledger)
    assert turns(ledger, mine) == [older.uuid, younger.uuid]
    assert find(ledger, younger, mine) == [plain.uuid]
    assert take(ledger, younger, rare, mine) is Outcome.LOST
    assert take(ledger, younger, plain, mine) is Outcome.SETTLED
    assert take(ledger, older, rare, mine) is Outcome.SETTLED
    assert {show(ledger, each).state for each in (older, younger)} == {"active"}


def test_the_youngest_of_many_has_its_turn_when_only_it_can_use_the_node(ledger: Ledger, mine: str) -> None:
    for number in range(200):
        ask(ledger, wait_seconds=60, traits=(f"CUSTOM_{number % 5}",))
    youngest = ask(ledger, wait_seconds=60)
    node = gold(ledger)
    before = ledger.store.statistics.statements
    assert turns(ledger, mine, count_max=16) == [youngest.uuid]
    assert ledger.store.statistics.statements - before < 30, "the line is not walked with a statement for each"
    assert take(ledger, youngest, node, mine) is Outcome.SETTLED


def test_of_equals_the_oldest_have_their_turn_in_order(ledger: Ledger, mine: str) -> None:
    waiting = [ask(ledger, wait_seconds=60).uuid for _ in range(50)]
    for _ in range(40):
        gold(ledger)
    assert turns(ledger, mine) == waiting[:40]
    assert turns(ledger, mine, count_max=16) == waiting[:16]


def test_a_turn_in_the_line_of_another_conductor_is_left_to_it(ledger: Ledger, mine: str) -> None:
    theirs = ask(ledger, wait_seconds=60)
    other = register(ledger, "conductor-1")
    second = register(ledger, "conductor-2")
    mine_now = [ask(ledger, wait_seconds=60, incarnation=second).uuid for _ in range(2)]
    gold(ledger)
    assert (turns(ledger, other), turns(ledger, second)) == ([theirs.uuid], [])
    gold(ledger)
    assert (turns(ledger, other), turns(ledger, second)) == ([theirs.uuid], mine_now[:1])


def test_who_is_past_its_deadline_or_has_a_dead_conductor_loses_its_place(ledger: Ledger, mine: str) -> None:
    ask(ledger, wait_seconds=20)
    ask(ledger, wait_seconds=1000)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = register(ledger, "heir")
    allocation, node = ask(ledger, wait_seconds=60), gold(ledger)
    assert turns(ledger, heir) == [allocation.uuid]
    assert find(ledger, allocation, heir) == [node.uuid]
