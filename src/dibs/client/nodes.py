"""Nodes, with the filters by trait that openstacksdk does not have."""

from collections.abc import Iterable, Iterator
from typing import Any

from openstack import resource
from openstack.baremetal.v1 import node as stock

from dibs.client.baremetal_calls import BaremetalCalls

_STOCK_FILTERS: dict[str, Any] = stock.Node._query_mapping._mapping


class Node(stock.Node):
    """A node of openstacksdk with more filters for lists."""

    _query_mapping = resource.QueryParameters(
        "traits",
        "conductor",
        "description_contains",
        "lessee",
        "owner",
        "project",
        "reserved",
        "retired",
        traits_any="traits-any",
        not_traits="not-traits",
        not_traits_any="not-traits-any",
        **_STOCK_FILTERS,
    )

    # openstacksdk looks for the alternate id in the class itself, not in its parents.
    id: str = resource.Body("uuid", alternate_id=True)


class Nodes(BaremetalCalls):
    """The calls of ``dibs.nodes``."""

    def list(
        self,
        *,
        traits: Iterable[str] = (),
        traits_any: Iterable[str] = (),
        not_traits: Iterable[str] = (),
        not_traits_any: Iterable[str] = (),
        **filters: Any,
    ) -> Iterator[Node]:
        """List nodes with all ``traits``, any ``traits_any``, not all ``not_traits`` and no ``not_traits_any``.

        Other filters are those of openstacksdk, and ``reserved``, ``owner``, ``retired`` and a few more.
        """
        by_trait = {
            "traits": traits,
            "traits_any": traits_any,
            "not_traits": not_traits,
            "not_traits_any": not_traits_any,
        }
        query: dict[str, Any] = {name: ",".join(names) for name, names in by_trait.items() if names}
        return Node.list(self._baremetal, details=True, **query, **filters)

    def get(self, node: str) -> Node:
        """Return a node by uuid or name."""
        return Node.new(id=node).fetch(self._baremetal)

    def add_traits(self, node: str, *traits: str) -> None:
        """Add traits to a node. Traits that the node has already are ignored."""
        found = self.get(node)
        for trait in traits:
            found.add_trait(self._baremetal, trait)

    def remove_traits(self, node: str, *traits: str) -> None:
        """Remove traits from a node; raise NotFoundException for a trait that it does not have."""
        found = self.get(node)
        for trait in traits:
            found.remove_trait(self._baremetal, trait, ignore_missing=False)

    def remove_all_traits(self, node: str) -> None:
        """Remove all traits from a node."""
        self.get(node).set_traits(self._baremetal, [])
