"""The search for free nodes."""

import pytest

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.queries import free_nodes
from tests.allocation_builders import gold, hold
from tests.builders import Ledger

GOLD = Requirements(resource_class="gold")


def search(ledger: Ledger, required: Requirements, point: float = 0.0, found_max: int = 10) -> list[str]:
    return ledger.store.read(lambda tx: free_nodes.search(tx, required, point, found_max))


def test_search_wraps_around_at_the_last_node(ledger: Ledger) -> None:
    nodes = [gold(ledger).uuid for _ in range(4)]
    assert search(ledger, GOLD) == nodes
    assert search(ledger, GOLD, 0.5) == nodes[2:] + nodes[:2]
    assert search(ledger, GOLD, 0.5, 3) == [nodes[2], nodes[3], nodes[0]]
    assert search(ledger, Requirements(resource_class="tin")) == []


def test_search_in_an_empty_ledger_finds_nothing(ledger: Ledger) -> None:
    assert search(ledger, GOLD, 0.9) == []


def test_node_must_have_every_trait(ledger: Ledger) -> None:
    both = gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    gold(ledger, with_traits=("CUSTOM_A",))
    assert search(ledger, Requirements(resource_class="gold", traits=("CUSTOM_A", "CUSTOM_B"))) == [both.uuid]


def test_node_is_found_by_name_only_while_it_is_free(ledger: Ledger) -> None:
    node = gold(ledger, name="db-1")
    assert ledger.store.read(lambda tx: free_nodes.named(tx, GOLD, ["db-1", "db-2"])) == {"db-1": node.uuid}
    hold(ledger, node)
    assert ledger.store.read(lambda tx: free_nodes.named(tx, GOLD, ["db-1"])) == {}


def test_search_for_rare_traits_begins_at_the_point_and_wraps_around(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    rare = Requirements(resource_class="gold", traits=("CUSTOM_A",))
    nodes = [gold(ledger, with_traits=("CUSTOM_A",)).uuid for _ in range(4)]
    hold(ledger, gold(ledger, with_traits=("CUSTOM_A",)))
    gold(ledger)
    for looked_up_min in (free_nodes.LOOKED_UP_MIN, 1):
        monkeypatch.setattr(free_nodes, "LOOKED_UP_MIN", looked_up_min)
        assert search(ledger, rare, 0.4) == nodes[2:] + nodes[:2]
        assert search(ledger, rare, 0.4, 1) == nodes[2:3]
        assert search(ledger, rare, 0.9, 1) == nodes[:1]
