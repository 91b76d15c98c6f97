"""A conductor ends allocations whose client stopped sending heartbeats."""

from dibs.conductor.abandoned import end_abandoned_allocations
from tests.allocation_builders import allocate, allocate_node, force, show
from tests.builders import Ledger


def test_only_overdue_allocations_end_and_a_busy_node_holds_up_none(ledger: Ledger) -> None:
    overdue = allocate(ledger, keep_alive_seconds=60)
    busy, node = allocate_node(ledger, keep_alive_seconds=60)
    force(ledger, node, reservation="conductor-1")
    ledger.clock.move(61)
    ledger.revive_conductor()
    alive = allocate(ledger, keep_alive_seconds=60)
    assert end_abandoned_allocations(ledger.runner) == 1
    assert [show(ledger, each).state for each in (overdue, busy, alive)] == ["error", "active", "allocating"]
    assert end_abandoned_allocations(ledger.runner) == 0
