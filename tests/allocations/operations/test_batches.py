"""Create batches, and retry allocations that failed."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound, NoConductorAvailable
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.batches import COUNT_MAX, RetryAllocation, get_batch, retry_allocation
from dibs.errors import BadValue
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import WrongState
from tests.allocation_builders import Steps, allocate_batch, gold, show
from tests.builders import Ledger


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


def retry(ledger: Ledger, allocation: Allocation) -> Allocation:
    return ledger.runner.write(retry_allocation, SERVICE, RetryAllocation(ident=allocation.uuid))


@pytest.mark.parametrize("count", [0, COUNT_MAX + 1])
def test_empty_and_too_large_batches_are_refused(ledger: Ledger, count: int) -> None:
    with pytest.raises(BadValue, match="count must be"):
        allocate_batch(ledger, count)


def test_batch_is_shown_by_its_uuid(ledger: Ledger) -> None:
    batch = allocate_batch(ledger, 2)
    assert ledger.runner.read(get_batch, SERVICE, str(batch[0].batch)) == batch
    with pytest.raises(AllocationNotFound):
        ledger.runner.read(get_batch, SERVICE, batch[0].uuid)


def test_without_a_live_conductor_no_batch_is_written(ledger: Ledger, steps: Steps) -> None:
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        allocate_batch(ledger, 2)
    assert steps.due() == []


def test_batch_is_retried_as_a_whole(ledger: Ledger, steps: Steps) -> None:
    batch = allocate_batch(ledger, 2)
    assert steps.conclude(batch[0]) is Outcome.FAILED
    assert retry(ledger, batch[1]).state == "allocating"
    assert [show(ledger, allocation).state for allocation in batch] == ["allocating"] * 2
    gold(ledger)
    gold(ledger)
    assert steps.grant(batch[0], *steps.found(batch[0])) is Outcome.SETTLED
    assert show(ledger, batch[1]).state == "active"


def test_only_failed_allocations_are_retried(ledger: Ledger) -> None:
    (allocation,) = allocate_batch(ledger, 1)
    with pytest.raises(WrongState, match="is allocating"):
        retry(ledger, allocation)


def test_retry_needs_a_live_conductor(ledger: Ledger, steps: Steps) -> None:
    (allocation,) = allocate_batch(ledger, 1)
    steps.conclude(allocation)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        retry(ledger, allocation)
    assert show(ledger, allocation).state == "error"
