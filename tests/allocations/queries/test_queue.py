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


def test_waiting_entries_ahead_are_of_the_class_and_before_the_position(ledger: Ledger, steps: Steps) -> None:
    batch, _ = allocate_batch(ledger, 2, wait_seconds=60), allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger)
    last = allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",), candidate_nodes=())
    ahead = ledger.store.read(lambda tx: queue.waiting_ahead(tx, "gold", last.id, ledger.clock()))
    assert [(found.entry.key, found.count) for found in ahead] == [(batch[0].batch, 2)]
    assert ahead[0].requirements == batch[0].requirements


def test_equal_requirements_are_decoded_once(ledger: Ledger, steps: Steps) -> None:
    for _ in range(2):
        allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",))
    first, second = ledger.store.read(lambda tx: queue.waiting_ahead(tx, "gold", 2**62, ledger.clock()))
    assert first.requirements is second.requirements


def test_kinds_are_the_different_requirements_of_entries_that_wait(ledger: Ledger, steps: Steps) -> None:
    first, _ = (allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",)) for _ in range(2))
    tin = allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger, traits=("CUSTOM_B",))
    last = allocate(ledger, wait_seconds=60)
    kinds = ledger.store.read(lambda tx: queue.kinds(tx, ledger.clock()))
    assert len(kinds) == 3
    assert set(kinds) == {first.requirements, tin.requirements, last.requirements}
    assert ledger.store.read(lambda tx: queue.kinds_ahead(tx, "gold", last.id, ledger.clock())) == [first.requirements]


def test_waiting_entries_are_those_of_the_classes_in_queue_order(ledger: Ledger, steps: Steps) -> None:
    first, tin = allocate(ledger, wait_seconds=60), allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger, resource_class="iron", wait_seconds=60)
    found = ledger.store.read(lambda tx: queue.waiting(tx, ["tin", "gold"], ledger.clock()))
    assert [each.entry.key for each in found] == [first.uuid, tin.uuid]


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
