"""The entries of the queue that wait."""

import pytest

from dibs.allocations.queries import waiting
from tests.allocation_builders import Steps, allocate, allocate_batch, release
from tests.builders import Ledger


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def test_waiting_entries_ahead_are_of_the_class_and_before_the_position(ledger: Ledger, steps: Steps) -> None:
    batch, _ = allocate_batch(ledger, 2, wait_seconds=60), allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger)
    last = allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",), candidate_nodes=())
    ahead = ledger.store.read(lambda tx: waiting.ahead(tx, ["gold"], last.id, ledger.clock()))
    assert [(found.entry.key, found.count) for found in ahead] == [(batch[0].batch, 2)]
    assert ahead[0].requirements == batch[0].requirements


def test_equal_requirements_are_decoded_once(ledger: Ledger, steps: Steps) -> None:
    for _ in range(2):
        allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",))
    first, second = ledger.store.read(lambda tx: waiting.ahead(tx, ["gold"], 2**62, ledger.clock()))
    assert first.requirements is second.requirements


def test_kinds_are_the_different_requirements_of_entries_that_wait(ledger: Ledger, steps: Steps) -> None:
    first, _ = (allocate(ledger, wait_seconds=60, traits=("CUSTOM_A",)) for _ in range(2))
    tin = allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger, traits=("CUSTOM_B",))
    last = allocate(ledger, wait_seconds=60)
    kinds = ledger.store.read(lambda tx: waiting.kinds(tx, ledger.clock()))
    assert len(kinds) == 3
    assert set(kinds) == {first.requirements, tin.requirements, last.requirements}
    assert ledger.store.read(lambda tx: waiting.kinds_ahead(tx, ["gold"], last.id, ledger.clock())) == [
        first.requirements
    ]


def test_waiting_entries_are_those_of_the_classes_in_queue_order(ledger: Ledger, steps: Steps) -> None:
    first, tin = allocate(ledger, wait_seconds=60), allocate(ledger, resource_class="tin", wait_seconds=60)
    allocate(ledger, resource_class="iron", wait_seconds=60)
    found = ledger.store.read(lambda tx: waiting.of_classes(tx, ["tin", "gold"], ledger.clock()))
    assert [each.entry.key for each in found] == [first.uuid, tin.uuid]


def test_allocations_are_read_by_entry_in_the_order_of_the_entries(ledger: Ledger, steps: Steps) -> None:
    single, batch = allocate(ledger, wait_seconds=60), allocate_batch(ledger, 2, wait_seconds=60)
    gone = allocate(ledger, wait_seconds=60)
    entries = ledger.store.read(lambda tx: waiting.every(tx, ledger.clock()))
    release(ledger, gone)
    found = ledger.store.read(lambda tx: waiting.allocations_of(tx, reversed(entries)))
    assert [[each.uuid for each in members] for members in found] == [[each.uuid for each in batch], [single.uuid]]


def test_projects_that_wait_are_listed_once(ledger: Ledger, steps: Steps) -> None:
    for owner in ("p", "p", None):
        allocate(ledger, wait_seconds=60, owner=owner)
    allocate(ledger, owner="hasty")
    assert set(ledger.store.read(lambda tx: waiting.projects(tx, ledger.clock()))) == {"p", None}
