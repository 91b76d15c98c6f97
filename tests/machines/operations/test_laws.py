"""Each law of nodes holds for what operations wrote, and finds a row that was changed by hand."""

import pytest
from sqlalchemy import delete, update
from sqlalchemy.sql.base import Executable

from dibs.ledger.tables import inventories, providers
from dibs.machines.model import states
from dibs.machines.tables import node_tasks, nodes
from tests import hold_builders
from tests.builders import Ledger
from tests.law_checks import broken, change


@pytest.fixture
def fleet(ledger: Ledger) -> Ledger:
    """Nodes that are free, deploying, held, in maintenance and without a class."""
    made = {name: ledger.enrol(name=name, resource_class="gold") for name in ("free", "deploying", "held", "out")}
    ledger.enrol(state=states.ENROLL, power_state=None)
    hold_builders.deploy(ledger, made["deploying"])
    hold_builders.hold(ledger, made["held"])
    hold_builders.put(ledger, made["out"], maintenance=True)
    return ledger


def test_what_operations_write_keeps_every_law(fleet: Ledger) -> None:
    assert broken(fleet) == []


@pytest.mark.parametrize(
    ("by_hand", "sentences"),
    [
        (update(providers).where(providers.c.name == "free").values(name="other"), ["with the name other."]),
        (update(inventories).values(reserved=0), ["offers 1 of CUSTOM_GOLD (0 reserved)"] * 2),
        (
            update(nodes).where(nodes.c.name == "free").values(instance_uuid="i"),
            ["is claimed by no consumer; expected is i"],
        ),
        (update(nodes).where(nodes.c.name == "held").values(instance_uuid="i"), ["and is reserved for"]),
        (delete(node_tasks), ["and has no task."]),
        (update(nodes).where(nodes.c.name == "deploying").values(reservation="c-2"), ["is locked by c-2; its task"]),
    ],
)
def test_a_row_that_breaks_a_law_is_found(fleet: Ledger, by_hand: Executable, sentences: list[str]) -> None:
    change(fleet, by_hand)
    found = broken(fleet)
    assert len(found) == len(sentences)
    assert all(sentence in violation for sentence, violation in zip(sentences, found, strict=True))
