"""Several nodes at once, all or none; another try."""

import uuid

import pytest

from dibs.domain.actor import SERVICE
from dibs.domain.errors import BadValue, NobodyToFindNodes, WrongState
from dibs.store import conductors, node_requests
from dibs.usecases.conductors import Beat, RegisterConductor, beat, register_conductor
from dibs.usecases.node_requests import CreateNodeRequest, GetNodeRequest, create_node_request, delete_node_request
from dibs.usecases.request_batches import (
    COUNT_MAX,
    CreateBatch,
    FailBatch,
    RetryNodeRequest,
    ServeBatch,
    TryNodes,
    create_batch,
    fail_batch,
    find_nodes_for_batch,
    judge_batch,
    list_due_batches,
    retry_node_request,
    try_nodes,
)
from dibs.usecases.serving import ListRequests, Outcome


def anyone(request):
    """The guard of somebody who may do anything."""


class Desk:
    """What a conductor does with batches, step by step."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.incarnation = ledger.store.read(lambda tx: conductors.every(tx))[0].incarnation

    def ask(self, count, **values):
        command = CreateBatch(kind=CreateNodeRequest(resource_class="gold", **values), count=count)
        return self.ledger.runner.write(create_batch, SERVICE, command)

    def now(self, request):
        return self.ledger.store.read(lambda tx: node_requests.get(tx, request.uuid))

    def due(self):
        return self.ledger.runner.read(
            list_due_batches, SERVICE, ListRequests(incarnation=self.incarnation, count_max=10)
        )

    def find(self, batch):
        command = ServeBatch(batch=batch, incarnation=self.incarnation, seed=1)
        return self.ledger.runner.read(find_nodes_for_batch, SERVICE, command)

    def try_nodes(self, batch, nodes):
        command = TryNodes(batch=batch, incarnation=self.incarnation, nodes=tuple(nodes))
        return self.ledger.runner.write(try_nodes, SERVICE, command)

    def conclude(self, batch):
        """Judge, and fail what is to fail."""
        values = {"batch": batch, "incarnation": self.incarnation}
        verdict = self.ledger.runner.read(judge_batch, SERVICE, ServeBatch(**values))
        if isinstance(verdict, str):
            self.ledger.runner.write(fail_batch, SERVICE, FailBatch(**values, reason=verdict))
        return verdict

    def retry(self, request, **values):
        command = RetryNodeRequest(ident=request.uuid, guard=anyone, **values)
        return self.ledger.runner.write(retry_node_request, SERVICE, command)


@pytest.fixture
def desk(ledger):
    return Desk(ledger)


def gold(ledger, count, **values):
    return [ledger.enrol(resource_class="gold", **values) for _ in range(count)]


def test_each_of_a_batch_gets_a_node_of_its_own(ledger, desk):
    gold(ledger, 4)
    asked = desk.ask(3)
    batch = asked[0].batch
    assert desk.due() == [batch]
    assert desk.try_nodes(batch, desk.find(batch)) is Outcome.SETTLED
    served = [desk.now(request) for request in asked]
    assert [request.state for request in served] == ["active"] * 3
    assert len({request.node_uuid for request in served}) == 3
    assert desk.due() == []


def test_one_lost_node_means_no_node_for_anyone(ledger, desk):
    nodes = gold(ledger, 3)
    asked = desk.ask(2)
    found = desk.find(asked[0].batch)
    lost = next(node for node in nodes if node.uuid == found[1])
    ledger.change(lost, maintenance=True)
    assert desk.try_nodes(asked[0].batch, found) is Outcome.LOST
    assert {desk.now(request).state for request in asked} == {"allocating"}
    assert {ledger.node(node).instance_uuid for node in nodes} == {None}


def test_too_few_nodes_fail_the_whole_batch_with_the_reasons(ledger, desk):
    gold(ledger, 1)
    ledger.change(gold(ledger, 1)[0], maintenance=True)
    asked = desk.ask(2)
    assert desk.find(asked[0].batch) == ()
    desk.conclude(asked[0].batch)
    assert [(desk.now(request).state, desk.now(request).last_error) for request in asked] == [
        ("error", "2 nodes wanted together, 1 free; 1 node of class gold: 1 in maintenance")
    ] * 2


def test_a_batch_that_waits_is_not_failed_before_its_time(ledger, desk):
    gold(ledger, 1)
    ledger.change(gold(ledger, 1)[0], maintenance=True)
    asked = desk.ask(2, wait_seconds=60)
    assert desk.conclude(asked[0].batch) is Outcome.LATER
    ledger.clock.move(61)
    desk.conclude(asked[0].batch)
    assert desk.now(asked[0]).state == "error"


def test_what_was_withdrawn_is_not_served(ledger, desk):
    gold(ledger, 2)
    asked = desk.ask(2)
    ledger.runner.write(delete_node_request, SERVICE, GetNodeRequest(ident=asked[0].uuid, guard=anyone))
    found = desk.find(asked[0].batch)
    assert len(found) == 1
    assert desk.try_nodes(asked[0].batch, found) is Outcome.SETTLED
    assert desk.now(asked[1]).state == "active"


def test_a_batch_that_was_split_by_a_take_over_belongs_to_who_has_its_first(ledger, desk):
    gold(ledger, 2)
    asked = desk.ask(2)
    batch = asked[0].batch
    other = RegisterConductor(hostname="conductor-2", group="", drivers=(), incarnation=str(uuid.uuid4()))
    ledger.runner.write(register_conductor, SERVICE, other)
    second = ledger.store.read(lambda tx: conductors.get(tx, "conductor-2"))
    here = asked[1].conductor_id
    ledger.store.write(lambda tx: node_requests.move(tx, asked[1].id, from_conductor=here, to_conductor=second.id))
    theirs = Desk(ledger)
    theirs.incarnation = second.incarnation
    ledger.runner.write(
        fail_batch, SERVICE, FailBatch(batch=batch, incarnation=second.incarnation, reason="not theirs to fail")
    )
    assert (theirs.due(), desk.due()) == ([], [batch])
    assert theirs.try_nodes(batch, desk.find(batch)) is Outcome.SETTLED
    assert desk.now(asked[0]).state == "allocating"
    assert desk.try_nodes(batch, desk.find(batch)) is Outcome.SETTLED
    assert [desk.now(request).state for request in asked] == ["active"] * 2


@pytest.mark.parametrize("count", [0, COUNT_MAX + 1])
def test_nobody_can_ask_for_none_or_for_too_many(desk, count):
    with pytest.raises(BadValue, match="count must be"):
        desk.ask(count)


def test_without_a_live_conductor_nothing_is_written(ledger, desk):
    ledger.clock.move(3600)
    with pytest.raises(NobodyToFindNodes):
        desk.ask(2)
    assert desk.due() == []


def test_a_batch_tries_again_as_a_whole(ledger, desk):
    asked = desk.ask(2)
    desk.conclude(asked[0].batch)
    assert desk.retry(asked[1]).state == "allocating"
    assert [desk.now(request).state for request in asked] == ["allocating"] * 2
    gold(ledger, 2)
    assert desk.try_nodes(asked[0].batch, desk.find(asked[0].batch)) is Outcome.SETTLED
    assert desk.now(asked[1]).state == "active"


def test_only_what_failed_is_tried_again(desk):
    (asked,) = desk.ask(1)
    with pytest.raises(WrongState, match="is allocating"):
        desk.retry(asked)


def test_another_try_needs_a_live_conductor(ledger, desk):
    (asked,) = desk.ask(1)
    desk.conclude(asked.batch)
    leave = Beat(hostname="conductor-1", incarnation=desk.incarnation, online=False)
    ledger.runner.write(beat, SERVICE, leave)
    with pytest.raises(NobodyToFindNodes):
        desk.retry(asked)
    assert desk.now(asked).state == "error"


def test_nodes_that_older_requests_wait_for_are_not_for_a_batch(ledger, desk):
    ledger.runner.write(create_node_request, SERVICE, CreateNodeRequest(resource_class="gold", wait_seconds=60))
    gold(ledger, 2)
    asked = desk.ask(2)
    assert desk.find(asked[0].batch) == ()


def test_a_batch_fails_whole_or_not_at_all(ledger, desk):
    """Another conductor that takes one of them over in between keeps it, and the others with it."""
    batch = desk.ask(2)
    other = str(uuid.uuid4())
    register = RegisterConductor(hostname="other", group="", drivers=("fake-hardware",), incarnation=other)
    ledger.runner.write(register_conductor, SERVICE, register)
    taker = ledger.store.read(lambda tx: conductors.get_by_incarnation(tx, other))
    first = desk.now(batch[0])
    ledger.store.write(
        lambda tx: node_requests.move(tx, first.id, from_conductor=first.conductor_id, to_conductor=taker.id)
    )
    command = FailBatch(batch=first.batch, incarnation=desk.incarnation, reason="too late")
    ledger.runner.write(fail_batch, SERVICE, command)
    assert [desk.now(request).state for request in batch] == ["allocating", "allocating"]


def test_a_batch_that_no_waiting_can_serve_fails_at_once(ledger, desk):
    ledger.enrol(resource_class="gold")
    batch = desk.ask(2, wait_seconds=3600)
    assert "2 nodes wanted together, 1 free" in desk.conclude(batch[0].batch)
    assert {desk.now(request).state for request in batch} == {"error"}
