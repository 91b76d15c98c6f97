"""The queue as conductors read and write it."""

import pytest

from dibs.allocations.model.queue import QueueEntry
from dibs.allocations.queries import queue
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from tests.allocation_builders import Steps, allocate, allocate_batch, entry_of, release, show
from tests.builders import Ledger


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def test_batch_is_one_due_entry_at_the_position_of_its_first_open_allocation(ledger: Ledger, steps: Steps) -> None:
    batch, single = allocate_batch(ledger, 3, wait_seconds=60), allocate(ledger)
    release(ledger, batch[0])
    found = ledger.store.read(lambda tx: queue.due(tx, steps.incarnation, ledger.clock(), 10))
    assert found == [
        QueueEntry(key=str(batch[0].batch), batch=True, waits=True),
        QueueEntry(key=single.uuid),
    ]
    assert ledger.store.read(lambda tx: queue.due(tx, steps.incarnation, ledger.clock(), 1)) == found[:1]


def test_conductor_without_waiting_allocations_has_none(ledger: Ledger, steps: Steps) -> None:
    allocate(ledger)
    assert not ledger.store.read(lambda tx: queue.any_waiting(tx, steps.incarnation, ledger.clock()))
    allocate(ledger, wait_seconds=60)
    assert ledger.store.read(lambda tx: queue.any_waiting(tx, steps.incarnation, ledger.clock()))


def test_settled_entry_has_no_open_allocations(ledger: Ledger, steps: Steps) -> None:
    allocation = allocate(ledger)
    assert ledger.store.read(lambda tx: queue.open_allocations(tx, entry_of(allocation))) == [allocation]
    steps.fail(allocation, "no nodes")
    assert ledger.store.read(lambda tx: queue.open_allocations(tx, entry_of(allocation))) == []
    assert ledger.store.read(lambda tx: queue.open_allocations(tx, QueueEntry(key="nosuch"))) == []


def test_reopen_returns_failed_allocations_only(ledger: Ledger, steps: Steps) -> None:
    allocation = allocate(ledger)
    values = {"conductor_id": steps.conductor_id, "wait_until": 7, "now": 8}
    assert ledger.store.write(lambda tx: queue.reopen(tx, allocation, **values)) == 0
    steps.fail(allocation, "no nodes")
    assert ledger.store.write(lambda tx: queue.reopen(tx, allocation, **values)) == 1
    assert (show(ledger, allocation).state, show(ledger, allocation).wait_until) == ("allocating", 7)


def test_conductor_counts_as_failed_only_with_open_allocations(ledger: Ledger, steps: Steps) -> None:
    allocation = allocate(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    assert ledger.store.read(lambda tx: queue.failed_conductors(tx, ledger.clock())) == [steps.conductor_id]
    release(ledger, allocation)
    assert ledger.store.read(lambda tx: queue.failed_conductors(tx, ledger.clock())) == []
