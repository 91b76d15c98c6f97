"""Nodes and their traits from Python."""

import pytest
from openstack import exceptions

from dibs.client import Dibs
from tests.clients.clouds import enroll, fresh


def test_nodes_are_filtered_by_traits(dibs: Dibs) -> None:
    kind = fresh("class")
    nodes = {name: enroll(dibs.connection, resource_class=kind).id for name in ("none", "a", "b", "ab")}
    dibs.nodes.add_traits(nodes["a"], "CUSTOM_A")
    dibs.nodes.add_traits(nodes["b"], "CUSTOM_B")
    dibs.nodes.add_traits(nodes["ab"], "CUSTOM_A", "CUSTOM_B")

    def found(**filters: object) -> set[str]:
        names = {ident: name for name, ident in nodes.items()}
        return {names[node.id] for node in dibs.nodes.list(resource_class=kind, **filters)}

    both = ["CUSTOM_A", "CUSTOM_B"]
    assert found(traits=both) == {"ab"}
    assert found(traits_any=both) == {"a", "b", "ab"}
    assert found(not_traits=both) == {"none", "a", "b"}
    assert found(not_traits_any=both) == {"none"}
    assert found(traits=["CUSTOM_A"], not_traits=["CUSTOM_B"]) == {"a"}
    assert found(traits=["CUSTOM_A"], provision_state="enroll") == set()
    assert found(limit=1) == set(nodes)
    held = dibs.reservations.create([nodes["a"]])
    assert found(reserved=True) == {"a"}
    dibs.reservations.delete(held.id)


def test_traits_are_added_and_removed(dibs: Dibs) -> None:
    node = enroll(dibs.connection).name
    dibs.nodes.add_traits(node, "CUSTOM_A", "CUSTOM_B", "CUSTOM_C")
    dibs.nodes.remove_traits(node, "CUSTOM_B")
    assert sorted(dibs.nodes.get(node).traits) == ["CUSTOM_A", "CUSTOM_C"]
    with pytest.raises(exceptions.NotFoundException):
        dibs.nodes.remove_traits(node, "CUSTOM_B")
    dibs.nodes.remove_all_traits(node)
    assert dibs.nodes.get(node).traits == []
    with pytest.raises(exceptions.BadRequestException, match="nonsense"):
        dibs.nodes.add_traits(node, "nonsense")
