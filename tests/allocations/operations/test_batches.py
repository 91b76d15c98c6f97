"""Several nodes at once, all or none; another try."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import NoConductorAvailable
from dibs.allocations.operations.allocations import (
    CreateAllocation,
    GetAllocation,
    create_allocation,
    delete_allocation,
)
from dibs.allocations.operations.batches import (
    COUNT_MAX,
    CreateBatch,
    RetryAllocation,
    create_batch,
    retry_allocation,
)
from dibs.allocations.operations.matching import (
    Fail,
    ListDue,
    Outcome,
    Serve,
    TakeOverAllocations,
    TryNodes,
    fail_order,
    find_nodes,
    judge,
    list_due_orders,
    take_over_allocations,
    try_nodes,
)
from dibs.allocations.operations.queue import LookAtLine, Order, look_at_line
from dibs.allocations.queries import allocations
from dibs.errors import BadValue
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import WrongState
from dibs.machines.operations.conductors import Beat, RegisterConductor, beat, register_conductor
from dibs.machines.queries import conductors


def anyone(allocation):
    """The guard of somebody who may do anything."""


class Desk:
    """What a conductor does with batches, step by step."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.incarnation = ledger.store.read(lambda tx: conductors.every(tx))[0].incarnation

    def ask(self, count, **values):
        command = CreateBatch(kind=CreateAllocation(resource_class="gold", **values), count=count)
        return self.ledger.runner.write(create_batch, SERVICE, command)

    def now(self, allocation):
        return self.ledger.store.read(lambda tx: allocations.get(tx, allocation.uuid))

    def due(self):
        command = ListDue(incarnation=self.incarnation, count_max=10)
        return [order.key for order in self.ledger.runner.read(list_due_orders, SERVICE, command)]

    def turns(self):
        command = LookAtLine(incarnation=self.incarnation, count_max=10)
        return [order.key for order in self.ledger.runner.read(look_at_line, SERVICE, command).orders]

    def find(self, batch):
        command = Serve(order=Order(key=batch, batch=True), incarnation=self.incarnation, seed=1)
        found = self.ledger.runner.read(find_nodes, SERVICE, command)
        assert len(found) <= 1
        return found[0] if found else ()

    def try_nodes(self, batch, nodes):
        command = TryNodes(order=Order(key=batch, batch=True), incarnation=self.incarnation, nodes=tuple(nodes))
        return self.ledger.runner.write(try_nodes, SERVICE, command)

    def conclude(self, batch):
        """Judge, and fail what is to fail."""
        values = {"order": Order(key=batch, batch=True), "incarnation": self.incarnation}
        verdict = self.ledger.runner.read(judge, SERVICE, Serve(**values))
        if isinstance(verdict, str):
            self.ledger.runner.write(fail_order, SERVICE, Fail(**values, reason=verdict))
        return verdict

    def retry(self, allocation, **values):
        command = RetryAllocation(ident=allocation.uuid, guard=anyone, **values)
        return self.ledger.runner.write(retry_allocation, SERVICE, command)


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
    served = [desk.now(allocation) for allocation in asked]
    assert [allocation.state for allocation in served] == ["active"] * 3
    assert len({allocation.node_uuid for allocation in served}) == 3
    assert desk.due() == []


def test_one_lost_node_means_no_node_for_anyone(ledger, desk):
    nodes = gold(ledger, 3)
    asked = desk.ask(2)
    found = desk.find(asked[0].batch)
    lost = next(node for node in nodes if node.uuid == found[1])
    ledger.change(lost, maintenance=True)
    assert desk.try_nodes(asked[0].batch, found) is Outcome.LOST
    assert {desk.now(allocation).state for allocation in asked} == {"allocating"}
    assert {ledger.node(node).instance_uuid for node in nodes} == {None}


def test_too_few_nodes_fail_the_whole_batch_with_the_reasons(ledger, desk):
    gold(ledger, 1)
    ledger.change(gold(ledger, 1)[0], maintenance=True)
    asked = desk.ask(2)
    assert desk.find(asked[0].batch) == ()
    desk.conclude(asked[0].batch)
    assert [(desk.now(allocation).state, desk.now(allocation).last_error) for allocation in asked] == [
        ("error", "2 nodes wanted together, 1 free; 1 node of class gold: 1 in maintenance")
    ] * 2


def test_a_batch_that_waits_is_not_failed_before_its_time(ledger, desk):
    gold(ledger, 1)
    ledger.change(gold(ledger, 1)[0], maintenance=True)
    asked = desk.ask(2, wait_seconds=20)
    assert desk.conclude(asked[0].batch) is Outcome.WAITS
    ledger.clock.move(21)
    desk.conclude(asked[0].batch)
    assert desk.now(asked[0]).state == "error"


def test_what_was_withdrawn_is_not_served(ledger, desk):
    gold(ledger, 2)
    asked = desk.ask(2)
    ledger.runner.write(delete_allocation, SERVICE, GetAllocation(ident=asked[0].uuid, guard=anyone))
    found = desk.find(asked[0].batch)
    assert len(found) == 1
    assert desk.try_nodes(asked[0].batch, found) is Outcome.SETTLED
    assert desk.now(asked[1]).state == "active"


def test_a_dead_conductors_batches_are_taken_over_whole(ledger, desk):
    gold(ledger, 2)
    asked = desk.ask(2)
    batch = asked[0].batch
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = Desk(ledger)
    heir.incarnation = str(uuid.uuid4())
    register = RegisterConductor(hostname="heir", group="", drivers=(), incarnation=heir.incarnation)
    ledger.runner.write(register_conductor, SERVICE, register)
    take_over = TakeOverAllocations(conductor_id=asked[0].conductor_id, incarnation=heir.incarnation)
    assert ledger.runner.write(take_over_allocations, SERVICE, take_over) == 2
    assert ledger.runner.write(take_over_allocations, SERVICE, take_over) == 0
    assert (desk.due(), heir.due()) == ([], [batch])
    assert desk.try_nodes(batch, desk.find(batch)) is Outcome.SETTLED
    desk.ledger.runner.write(
        fail_order,
        SERVICE,
        Fail(order=Order(key=batch, batch=True), incarnation=desk.incarnation, reason="not its to fail"),
    )
    assert [desk.now(allocation).state for allocation in asked] == ["allocating"] * 2
    assert heir.try_nodes(batch, heir.find(batch)) is Outcome.SETTLED
    assert [heir.now(allocation).state for allocation in asked] == ["active"] * 2


def test_a_batch_in_line_keeps_the_few_that_it_found_and_has_its_turn_with_the_last(ledger, desk):
    batch = desk.ask(3, wait_seconds=60)[0].batch
    behind = CreateAllocation(resource_class="gold", wait_seconds=60)
    behind = ledger.runner.write(create_allocation, SERVICE, behind)
    gold(ledger, 2)
    assert desk.turns() == []
    gold(ledger, 1)
    assert desk.turns() == [batch]
    gold(ledger, 1)
    assert desk.turns() == [batch, behind.uuid]


@pytest.mark.parametrize("count", [0, COUNT_MAX + 1])
def test_nobody_can_ask_for_none_or_for_too_many(desk, count):
    with pytest.raises(BadValue, match="count must be"):
        desk.ask(count)


def test_without_a_live_conductor_nothing_is_written(ledger, desk):
    ledger.clock.move(3600)
    with pytest.raises(NoConductorAvailable):
        desk.ask(2)
    assert desk.due() == []


def test_a_batch_tries_again_as_a_whole(ledger, desk):
    asked = desk.ask(2)
    desk.conclude(asked[0].batch)
    assert desk.retry(asked[1]).state == "allocating"
    assert [desk.now(allocation).state for allocation in asked] == ["allocating"] * 2
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
    with pytest.raises(NoConductorAvailable):
        desk.retry(asked)
    assert desk.now(asked).state == "error"


def test_nodes_that_older_allocations_wait_for_are_not_for_a_batch(ledger, desk):
    ledger.runner.write(create_allocation, SERVICE, CreateAllocation(resource_class="gold", wait_seconds=60))
    gold(ledger, 2)
    asked = desk.ask(2)
    assert desk.find(asked[0].batch) == ()


def test_a_batch_that_no_waiting_can_serve_fails_at_once(ledger, desk):
    ledger.enrol(resource_class="gold")
    batch = desk.ask(2, wait_seconds=3600)
    assert "2 nodes wanted together, 1 free" in desk.conclude(batch[0].batch)
    assert {desk.now(allocation).state for allocation in batch} == {"error"}
