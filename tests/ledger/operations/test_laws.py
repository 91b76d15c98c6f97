"""Each law of the ledger holds for what operations wrote, and finds a row that was changed by hand."""

import pytest
from sqlalchemy import delete, insert, update
from sqlalchemy.sql.base import Executable

from dibs.ledger.tables import claims, consumers, inventories, providers
from tests.builders import Ledger
from tests.law_checks import broken, change
from tests.provider_builders import claim, make

IDLE = {"uuid": "00000000-0000-4000-8000-000000000001", "generation": 0, "created_at": 1}


@pytest.fixture
def claimed(ledger: Ledger) -> Ledger:
    """A tree of two providers, both with claims, and a third provider."""
    root = make(ledger, VCPU=8, DISK_GB=10)
    child = make(ledger, parent=root, VCPU=4)
    make(ledger, VCPU=2)
    claim(ledger, root, VCPU=2, DISK_GB=5)
    claim(ledger, root, VCPU=1)
    claim(ledger, child, VCPU=4)
    return ledger


def test_what_operations_write_keeps_every_law(claimed: Ledger) -> None:
    assert broken(claimed) == []


@pytest.mark.parametrize(
    ("by_hand", "sentence"),
    [
        (
            update(inventories).where(inventories.c.used == 5).values(used=4),
            "has used 4 of DISK_GB, but its claims add",
        ),
        (delete(inventories).where(inventories.c.used == 5), "which has no inventory of that class"),
        (insert(consumers).values(IDLE), f"Consumer {IDLE['uuid']} has no claim."),
        (update(providers).where(providers.c.parent_id.is_not(None)).values(root_id=providers.c.id), "the root of its"),
        (update(claims).where(claims.c.amount == 1).values(amount=3), "but its claims add up to 5."),
    ],
)
def test_a_row_that_breaks_a_law_is_found(claimed: Ledger, by_hand: Executable, sentence: str) -> None:
    change(claimed, by_hand)
    (violation,) = broken(claimed)
    assert sentence in violation
