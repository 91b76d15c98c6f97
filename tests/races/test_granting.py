"""A grant to allocations, and another transaction that deletes or fails one of them at the same moment."""

import threading
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.operations import granting
from dibs.allocations.operations.allocations import delete_allocation
from tests.allocation_builders import Steps, allocate, gold, holders, show
from tests.builders import Ledger

BLOCKED_SECONDS = 1.0
"""How long the grant waits for the deletion; on SQLite, the deletion waits for the grant."""


def test_allocation_that_is_deleted_during_the_grant_leaves_no_instance(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, nodes = Steps(ledger, "conductor-1"), [gold(ledger) for _ in range(3)]
    allocations = [allocate(ledger) for _ in range(3)]
    deletion = threading.Thread(target=ledger.runner.write, args=(delete_allocation, SERVICE, allocations[1].uuid))
    read = granting.queue.open_of_entries

    def read_slowly(*arguments: Any) -> Any:
        found = read(*arguments)
        if deletion.ident is None:  # Not again, when the transaction runs again.
            deletion.start()
            deletion.join(BLOCKED_SECONDS)
        return found

    monkeypatch.setattr(granting.queue, "open_of_entries", read_slowly)
    steps.grant_together(*((each, [node.uuid]) for each, node in zip(allocations, nodes, strict=True)))
    deletion.join()
    assert [ledger.node(node).instance_uuid for node in nodes] == [allocations[0].uuid, None, allocations[2].uuid]
    assert [len(holders(ledger, node)) for node in nodes] == [1, 0, 1]
    assert {show(ledger, each).state for each in (allocations[0], allocations[2])} == {"active"}


# SQLite has one writer, so no other transaction can come between.
@pytest.mark.server_engines
def test_allocation_that_fails_during_the_grant_gets_no_node(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, node, allocation = Steps(ledger, "conductor-1"), gold(ledger), allocate(ledger)
    failure = threading.Thread(target=steps.fail, args=(allocation, "too late"))
    read = granting.queue.open_of_entries

    def read_before_the_failure(*arguments: Any) -> Any:
        found = read(*arguments)
        if failure.ident is None:
            failure.start()
            failure.join()
        return found

    monkeypatch.setattr(granting.queue, "open_of_entries", read_before_the_failure)
    steps.grant(allocation, node.uuid)
    assert (show(ledger, allocation).state, ledger.node(node).instance_uuid) == ("error", None)
    assert holders(ledger, node) == []
