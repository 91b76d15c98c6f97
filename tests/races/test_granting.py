"""A grant to many allocations, and a client that deletes one of them at the same moment."""

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
