"""Concurrent batches compete for the same nodes: each gets all of its nodes or none, and no node is granted twice."""

from dibs.access.access import SERVICE
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.batches import CreateBatch, create_batch
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.queries import allocations
from dibs.conductor.allocations import AllocationWorker
from dibs.conductor.session import Session
from dibs.machines.queries import conductors
from tests.allocation_builders import entry_of
from tests.builders import Ledger
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once


def test_concurrent_batches_get_all_of_their_nodes_or_none(ledger: Ledger, database_url: str) -> None:
    for _ in range(10):
        ledger.enrol(resource_class="gold")
    session = Session(ledger.store.read(lambda tx: conductors.every(tx))[0].incarnation)
    command = CreateBatch(kind=CreateAllocation(resource_class="gold"), count=3)
    created = [ledger.runner.write(create_batch, SERVICE, command) for _ in range(6)]
    worker = AllocationWorker(ledger.runner, "conductor-1", lambda: None, LifetimeRules())
    entries = [entry_of(batch[0]) for batch in created]
    all_at_once(6, lambda number: worker.attempt(entries[number], session))
    assert worker.close(seconds=60)
    states = []
    for batch in created:
        found = [ledger.store.read(lambda tx, uuid=each.uuid: allocations.get(tx, uuid)) for each in batch]
        assert len({allocation.state for allocation in found if allocation}) == 1
        states.append(found[0].state if found[0] else None)
    assert sorted(map(str, states)) == ["active"] * 3 + ["error"] * 3
    assert_lawful(database_url)
