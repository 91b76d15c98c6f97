"""Each law of allocations holds for what operations wrote, and finds a row that was changed by hand."""

import pytest
from sqlalchemy import update
from sqlalchemy.sql.base import Executable

from dibs.allocations.tables import allocations
from dibs.machines.tables import nodes
from tests.allocation_builders import allocate, allocate_node
from tests.builders import Ledger
from tests.law_checks import broken, change


@pytest.fixture
def allocated(ledger: Ledger) -> Ledger:
    """One allocation with a node, and one in the queue."""
    allocate_node(ledger)
    allocate(ledger, resource_class="silver")
    return ledger


def test_what_operations_write_keeps_every_law(allocated: Ledger) -> None:
    assert broken(allocated) == []


@pytest.mark.parametrize(
    ("by_hand", "sentence"),
    [
        (
            update(allocations).where(allocations.c.state == "active").values(state="allocating"),
            "is allocating and has",
        ),
        (
            update(allocations).where(allocations.c.state == "active").values(node_id=None),
            "is active and has the node None",
        ),
        (
            update(allocations).where(allocations.c.state == "allocating").values(state="error"),
            "failed without a reason.",
        ),
    ],
)
def test_a_row_that_breaks_a_law_is_found(allocated: Ledger, by_hand: Executable, sentence: str) -> None:
    change(allocated, by_hand)
    (violation,) = broken(allocated)
    assert sentence in violation


def test_a_node_with_another_instance_is_found(allocated: Ledger) -> None:
    change(allocated, update(nodes).values(instance_uuid="i"))
    assert any("has the node" in violation and "with the instance i." in violation for violation in broken(allocated))
