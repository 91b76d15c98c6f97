"""Traits of nodes: valid names only, at most fifty, at any time."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import Forbidden
from dibs.ledger.model.errors import InvalidTrait
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.errors import NodeNotFound, TooManyTraits, TraitNotFound
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX
from dibs.machines.model.nodes import Node
from dibs.machines.operations.node_traits import (
    AddTrait,
    NodeTraits,
    RemoveTrait,
    SetTraits,
    add_trait,
    list_traits,
    remove_all_traits,
    remove_trait,
    set_traits,
)
from tests.builders import Ledger, granted

FIFTY = tuple(f"CUSTOM_T{number}" for number in range(TRAITS_PER_NODE_MAX))


def replace_all(ledger: Ledger, node: Node, *traits: str) -> list[str]:
    return ledger.runner.write(set_traits, SERVICE, SetTraits(ident=node.uuid, rules=(), traits=traits))


def add(ledger: Ledger, node: Node, trait: str) -> None:
    ledger.runner.write(add_trait, SERVICE, AddTrait(ident=node.uuid, rules=(), trait=trait))


def remove(ledger: Ledger, node: Node, trait: str) -> None:
    ledger.runner.write(remove_trait, SERVICE, RemoveTrait(ident=node.uuid, rules=(), trait=trait))


def test_set_traits_replaces_all_and_merges_duplicates(ledger: Ledger) -> None:
    node = ledger.enrol()
    assert replace_all(ledger, node, "CUSTOM_B", "CUSTOM_A", "CUSTOM_B") == ["CUSTOM_A", "CUSTOM_B"]
    assert replace_all(ledger, node, "HW_CPU_X86_VMX", "CUSTOM_A") == ["CUSTOM_A", "HW_CPU_X86_VMX"]
    assert ledger.traits(node) == ["CUSTOM_A", "HW_CPU_X86_VMX"]


def test_a_trait_can_be_added_twice(ledger: Ledger) -> None:
    node = ledger.enrol()
    add(ledger, node, "CUSTOM_A")
    add(ledger, node, "CUSTOM_A")
    assert ledger.traits(node) == ["CUSTOM_A"]


def test_traits_are_removed_one_by_one_and_all_at_once(ledger: Ledger) -> None:
    node = ledger.enrol(with_traits=("CUSTOM_A", "CUSTOM_B", "CUSTOM_C"))
    remove(ledger, node, "CUSTOM_B")
    assert ledger.traits(node) == ["CUSTOM_A", "CUSTOM_C"]
    ledger.runner.write(remove_all_traits, SERVICE, NodeTraits(ident=node.uuid, rules=()))
    assert ledger.traits(node) == []


def test_removing_a_trait_that_the_node_lacks_is_an_error(ledger: Ledger) -> None:
    with pytest.raises(TraitNotFound, match="CUSTOM_A"):
        remove(ledger, ledger.enrol(), "CUSTOM_A")


@pytest.mark.parametrize("name", ["FOO", "CUSTOM_lower", "CUSTOM_", "CUSTOM_A\n", "", "CUSTOM_" + "A" * 249])
def test_an_invalid_trait_changes_nothing(ledger: Ledger, name: str) -> None:
    node = ledger.enrol(with_traits=("CUSTOM_A",))
    with pytest.raises(InvalidTrait):
        add(ledger, node, name)
    with pytest.raises(InvalidTrait):
        replace_all(ledger, node, "CUSTOM_B", name)
    assert ledger.traits(node) == ["CUSTOM_A"]


def test_a_trait_of_255_characters_is_stored_whole(ledger: Ledger) -> None:
    longest = "CUSTOM_" + "A" * 248
    node = ledger.enrol(with_traits=(longest,))
    assert ledger.traits(node) == [longest]


def test_a_node_takes_fifty_traits_and_not_one_more(ledger: Ledger) -> None:
    node = ledger.enrol(with_traits=FIFTY)
    add(ledger, node, FIFTY[0])
    with pytest.raises(TooManyTraits, match=r"\(51 vs. 50\)"):
        add(ledger, node, "CUSTOM_ONE_MORE")
    with pytest.raises(TooManyTraits, match=r"\(51 vs. 50\)"):
        replace_all(ledger, node, *FIFTY, "CUSTOM_ONE_MORE")
    assert ledger.traits(node) == sorted(FIFTY)


def test_deleting_a_node_removes_only_its_own_traits(ledger: Ledger) -> None:
    node, other = ledger.enrol(with_traits=("CUSTOM_A",)), ledger.enrol(with_traits=("CUSTOM_A",))
    remove(ledger, node, "CUSTOM_A")
    assert ledger.traits(other) == ["CUSTOM_A"]


def test_traits_of_a_locked_node_can_change(ledger: Ledger) -> None:
    node = ledger.enrol(reservation="conductor-1")
    add(ledger, node, "CUSTOM_A")
    assert ledger.traits(node) == ["CUSTOM_A"]


def test_traits_of_a_node_that_does_not_exist(ledger: Ledger) -> None:
    with pytest.raises(NodeNotFound):
        ledger.runner.read(list_traits, SERVICE, NodeTraits(ident="nobody", rules=()))


def test_the_rules_are_checked_before_traits_are_written(ledger: Ledger) -> None:
    node = ledger.enrol()
    command = AddTrait(ident=node.uuid, rules=("baremetal:node:traits:set",), trait="CUSTOM_A")
    with pytest.raises(Forbidden):
        ledger.runner.write(add_trait, granted(SEE_NODE), command)
    assert ledger.traits(node) == []


def test_any_number_of_traits_takes_the_same_number_of_statements(ledger: Ledger) -> None:
    counts = set()
    for traits in (("CUSTOM_A", "CUSTOM_B"), FIFTY):
        node = ledger.enrol(with_traits=("CUSTOM_OLD",))
        before = ledger.store.statistics.statements
        replace_all(ledger, node, *traits)
        counts.add(ledger.store.statistics.statements - before)
    assert len(counts) == 1
