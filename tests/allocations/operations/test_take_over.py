"""Take the open allocations of failed conductors."""

from dibs.access.access import SERVICE
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.take_over import TakeOverAllocations, take_over_allocations
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from tests.allocation_builders import Steps, allocate, allocate_batch, gold, show
from tests.builders import Ledger


def test_allocations_of_a_failed_conductor_move_once(ledger: Ledger) -> None:
    allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == [1]
    assert successor.take_over() == []


def test_allocations_of_a_live_conductor_stay(ledger: Ledger) -> None:
    steps = Steps(ledger, "conductor-1")
    allocation = allocate(ledger)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == []
    command = TakeOverAllocations(conductor_id=steps.conductor_id, incarnation=successor.incarnation)
    assert ledger.runner.write(take_over_allocations, SERVICE, command) == 0
    assert show(ledger, allocation).conductor_id == steps.conductor_id


def test_batch_moves_whole(ledger: Ledger) -> None:
    gold(ledger)
    gold(ledger)
    steps = Steps(ledger, "conductor-1")
    batch = allocate_batch(ledger, 2)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    successor = Steps(ledger, "successor")
    assert successor.take_over() == [2]
    assert (steps.due(), successor.due()) == ([], [batch[0].batch])
    assert steps.grant(batch[0], *steps.found(batch[0])) is Outcome.SETTLED
    steps.fail(batch[0], "not its own")
    assert [show(ledger, allocation).state for allocation in batch] == ["allocating"] * 2
    assert successor.grant(batch[0], *successor.found(batch[0])) is Outcome.SETTLED
    assert [show(ledger, allocation).state for allocation in batch] == ["active"] * 2
