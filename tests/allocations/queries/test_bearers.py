"""Which nodes have traits, from the index of the structure."""

import pytest

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.queries import bearers
from tests.allocation_builders import gold
from tests.builders import Ledger


def ids(ledger: Ledger, *traits: str) -> list[int] | None:
    return ledger.store.read(lambda tx: bearers.with_traits(tx, traits))


def test_nodes_with_all_of_the_traits_are_listed_in_order(ledger: Ledger) -> None:
    both = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    other = gold(ledger, with_traits=("CUSTOM_A",))
    assert ids(ledger, "CUSTOM_A") == [both.id, other.id]
    assert ids(ledger, "CUSTOM_B", "CUSTOM_A") == [both.id]
    assert ids(ledger, "CUSTOM_C") == []
    assert ids(ledger) is None


def test_traits_of_many_nodes_are_not_listed(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        gold(ledger, with_traits=("CUSTOM_A",))
    monkeypatch.setattr(bearers, "LISTED_MAX", 2)
    assert ids(ledger, "CUSTOM_A") is None


def test_nodes_are_listed_for_one_trait_more_at_a_time(ledger: Ledger) -> None:
    both = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    other = gold(ledger, with_traits=("CUSTOM_A",))
    found = ledger.store.read(lambda tx: bearers.for_each_trait(tx, ("CUSTOM_A", "CUSTOM_B")))
    assert found == [[both.id, other.id], [both.id]]


def test_requirements_are_possible_when_a_node_has_their_traits(ledger: Ledger) -> None:
    gold(ledger, with_traits=("CUSTOM_A",))
    plain, has, lacks = (
        Requirements(resource_class="gold", traits=traits) for traits in ((), ("CUSTOM_A",), ("CUSTOM_A", "CUSTOM_B"))
    )
    assert ledger.store.read(lambda tx: bearers.possible(tx, (plain, has, lacks))) == [plain, has]
