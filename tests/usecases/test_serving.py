"""The conductor's side of requests: finding, taking, waiting in line, failing, taking over."""

import uuid
from typing import Any

import pytest

from dibs.domain import node_states as states
from dibs.domain.actor import SERVICE
from dibs.domain.conductors import TIMEOUT_SECONDS
from dibs.domain.node_requests import PATIENCE_SECONDS, NodeRequest
from dibs.domain.nodes import Node
from dibs.store import nodes
from dibs.usecases.conductors import RegisterConductor, register_conductor
from dibs.usecases.serving import (
    FailRequest,
    ListRequests,
    Outcome,
    ServeRequest,
    TakeOverRequest,
    TryNode,
    fail_request,
    find_nodes,
    judge_request,
    list_due_requests,
    list_orphaned_requests,
    list_waiting_requests,
    take_over_request,
    try_node,
)
from tests.builders import Ledger
from tests.usecases.test_node_requests import ask, force, give_back, hold, holders, show


def register(ledger: Ledger, hostname: str) -> str:
    incarnation = str(uuid.uuid4())
    command = RegisterConductor(hostname=hostname, group="", drivers=("fake-hardware",), incarnation=incarnation)
    ledger.runner.write(register_conductor, SERVICE, command)
    return incarnation


@pytest.fixture
def mine(ledger: Ledger) -> str:
    """The incarnation of the only conductor."""
    return register(ledger, "conductor-1")


def find(ledger: Ledger, request: NodeRequest, incarnation: str, seed: int = 0) -> list[str]:
    command = ServeRequest(uuid=request.uuid, incarnation=incarnation, seed=seed)
    return ledger.runner.read(find_nodes, SERVICE, command)


def take(ledger: Ledger, request: NodeRequest, node: Node, incarnation: str) -> Outcome:
    command = TryNode(uuid=request.uuid, incarnation=incarnation, node=node.uuid)
    return ledger.runner.write(try_node, SERVICE, command)


def conclude(ledger: Ledger, request: NodeRequest, incarnation: str) -> Outcome:
    verdict = ledger.runner.read(judge_request, SERVICE, ServeRequest(uuid=request.uuid, incarnation=incarnation))
    if isinstance(verdict, Outcome):
        return verdict
    command = FailRequest(uuid=request.uuid, incarnation=incarnation, reason=verdict)
    ledger.runner.write(fail_request, SERVICE, command)
    return Outcome.SETTLED


def gold(ledger: Ledger, **values: Any) -> Node:
    return ledger.enrol(**{"resource_class": "gold", **values})


def test_a_node_is_given_with_all_that_belongs_to_it(ledger: Ledger, mine: str) -> None:
    node = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    request = ask(ledger, traits=("CUSTOM_A",))
    assert find(ledger, request, mine) == [node.uuid]
    assert take(ledger, request, node, mine) is Outcome.SETTLED
    given, after = show(ledger, request), ledger.node(node)
    assert (given.state, given.node_uuid, given.last_error) == ("active", node.uuid, None)
    assert (after.instance_uuid, after.instance_info) == (request.uuid, {"traits": ["CUSTOM_A"]})
    assert holders(ledger, node) == [request.uuid]


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
    request = ask(ledger, traits=("CUSTOM_A",) if not values else ())
    assert find(ledger, request, mine) == []
    assert take(ledger, request, node, mine) is Outcome.LOST
    assert conclude(ledger, request, mine) is Outcome.SETTLED
    assert show(ledger, request).last_error == f"1 node of class gold: 1 {reason}"
    assert show(ledger, request).state == "error"


def test_a_held_node_is_not_found(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    hold(ledger, node)
    request = ask(ledger)
    assert find(ledger, request, mine) == []
    conclude(ledger, request, mine)
    assert show(ledger, request).last_error == "1 node of class gold: 1 held by a reservation"


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
    request = ask(ledger)
    orders = [find(ledger, request, mine, seed) for seed in range(10)]
    assert len({tuple(order) for order in orders}) > 5
    assert len({order[0] for order in orders}) > 3


def test_a_node_is_found_wherever_the_search_begins(ledger: Ledger, mine: str) -> None:
    only = gold(ledger)
    for _ in range(20):
        ledger.enrol(resource_class="tin")
    request = ask(ledger)
    assert {tuple(find(ledger, request, mine, seed)) for seed in range(20)} == {(only.uuid,)}


def test_a_request_that_another_conductor_has_taken_over_is_left_alone(ledger: Ledger, mine: str) -> None:
    node, request = gold(ledger), ask(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = register(ledger, "heir")
    assert take_over(ledger, heir) == [True]
    assert take(ledger, request, node, mine) is Outcome.SETTLED
    assert (show(ledger, request).state, ledger.node(node).instance_uuid) == ("allocating", None)
    ledger.change(node, maintenance=True)
    conclude(ledger, request, mine)
    assert show(ledger, request).state == "allocating"
    ledger.change(node, maintenance=False)
    take(ledger, request, node, heir)
    assert show(ledger, request).state == "active"


def take_over(ledger: Ledger, heir: str) -> list[bool]:
    orphans = ledger.runner.read(list_orphaned_requests, SERVICE, ListRequests(incarnation=heir, count_max=100))
    commands = [TakeOverRequest(orphan=orphan, incarnation=heir) for orphan in orphans]
    return [ledger.runner.write(take_over_request, SERVICE, command) for command in commands]


def test_requests_of_the_living_are_not_taken_over(ledger: Ledger, mine: str) -> None:
    ask(ledger)
    assert take_over(ledger, register(ledger, "heir")) == []


def test_a_conductor_that_starts_again_finds_its_own_requests(ledger: Ledger, mine: str) -> None:
    request = ask(ledger)
    again = register(ledger, "conductor-1")
    due = ledger.runner.read(list_due_requests, SERVICE, ListRequests(incarnation=again, count_max=10))
    assert due == [request.uuid]
    assert ledger.runner.read(list_due_requests, SERVICE, ListRequests(incarnation=mine, count_max=10)) == []


def test_while_the_only_node_is_locked_a_request_is_patient_for_a_moment(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    force(ledger, node, reservation="conductor-1")
    request = ask(ledger)
    assert find(ledger, request, mine) == []
    assert conclude(ledger, request, mine) is Outcome.LATER
    ledger.clock.move(PATIENCE_SECONDS + 1)
    assert conclude(ledger, request, mine) is Outcome.SETTLED
    assert show(ledger, request).last_error == "1 node of class gold: 1 locked"


def test_serving_takes_few_statements_however_many_nodes_there_are(ledger: Ledger, mine: str) -> None:
    counts = []
    for count in (1, 60):
        for _ in range(count):
            gold(ledger, with_traits=("CUSTOM_A",))
        request = ask(ledger, traits=("CUSTOM_A",))
        before = ledger.store.statistics.statements
        found = find(ledger, request, mine)[0]
        ledger.runner.write(try_node, SERVICE, TryNode(uuid=request.uuid, incarnation=mine, node=found))
        assert show(ledger, request).state == "active"
        counts.append(ledger.store.statistics.statements - before)
    assert max(counts) <= 22


# --- waiting ---


def waiting(ledger: Ledger, incarnation: str, after_id: int = 0, count_max: int = 10) -> list[str]:
    command = ListRequests(incarnation=incarnation, count_max=count_max, after_id=after_id)
    return [found for _, found in ledger.runner.read(list_waiting_requests, SERVICE, command)]


def test_a_request_that_waits_fails_at_its_deadline_with_the_reasons(ledger: Ledger, mine: str) -> None:
    node = gold(ledger, maintenance=True)
    request = ask(ledger, wait_seconds=60)
    assert conclude(ledger, request, mine) is Outcome.LATER
    assert waiting(ledger, mine) == []
    ledger.clock.move(61)
    assert waiting(ledger, mine) == [request.uuid]
    assert conclude(ledger, request, mine) is Outcome.SETTLED
    assert show(ledger, request).last_error == "1 node of class gold: 1 in maintenance"
    assert ledger.node(node).instance_uuid is None


def test_a_request_that_waits_is_looked_at_when_a_node_becomes_free(ledger: Ledger, mine: str) -> None:
    node = gold(ledger)
    first = ask(ledger)
    take(ledger, first, node, mine)
    request = ask(ledger, wait_seconds=60)
    assert waiting(ledger, mine) == []
    give_back(ledger, first)
    assert waiting(ledger, mine) == [request.uuid]
    assert take(ledger, request, node, mine) is Outcome.SETTLED
    assert show(ledger, request).node_uuid == node.uuid


def test_who_waits_longer_goes_first(ledger: Ledger, mine: str) -> None:
    older, younger, hasty = ask(ledger, wait_seconds=60), ask(ledger, wait_seconds=60), ask(ledger)
    node = gold(ledger)
    for request in (younger, hasty):
        assert find(ledger, request, mine) == []
        assert take(ledger, request, node, mine) is Outcome.LOST
        assert conclude(ledger, request, mine) is Outcome.LATER
    assert find(ledger, older, mine) == [node.uuid]
    take(ledger, older, node, mine)
    assert show(ledger, older).state == "active"
    assert conclude(ledger, hasty, mine) is Outcome.SETTLED
    assert show(ledger, hasty).last_error == "1 node of class gold: 1 in use"


def test_who_cannot_use_the_node_does_not_hold_up_those_behind(ledger: Ledger, mine: str) -> None:
    ask(ledger, wait_seconds=60, traits=("CUSTOM_GPU",))
    ask(ledger, wait_seconds=60, owner="p")
    request, node = ask(ledger, wait_seconds=60), gold(ledger)
    assert find(ledger, request, mine) == [node.uuid]
    assert take(ledger, request, node, mine) is Outcome.SETTLED


def test_who_is_past_its_deadline_or_has_a_dead_conductor_loses_its_place(ledger: Ledger, mine: str) -> None:
    ask(ledger, wait_seconds=60)
    ask(ledger, wait_seconds=1000)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = register(ledger, "heir")
    request, node = ask(ledger, wait_seconds=60), gold(ledger)
    assert find(ledger, request, heir) == [node.uuid]


def test_those_who_wait_take_turns(ledger: Ledger, mine: str) -> None:
    requests = [ask(ledger, wait_seconds=60, traits=("CUSTOM_NONE",)) for _ in range(3)]
    gold(ledger)
    assert waiting(ledger, mine, count_max=2) == [request.uuid for request in requests[:2]]
    assert waiting(ledger, mine, after_id=requests[1].id, count_max=2) == [requests[2].uuid]
