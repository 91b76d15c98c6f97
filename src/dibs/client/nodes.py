"""Nodes, with the filters by trait that openstacksdk does not have."""

from collections.abc import Iterator, Mapping
from typing import Any

from openstack import resource
from openstack.baremetal.v1 import node as stock

from dibs.client.arguments import Names, names_in
from dibs.client.baremetal_calls import BaremetalCalls
from dibs.client.errors import dibs_errors, each_or_error

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
        traits: Names = (),
        traits_any: Names = (),
        not_traits: Names = (),
        not_traits_any: Names = (),
        resource_class: str | None = None,
        provision_state: str | None = None,
        associated: bool | None = None,
        is_maintenance: bool | None = None,
        reserved: bool | None = None,
        retired: bool | None = None,
        owner: str | None = None,
        lessee: str | None = None,
        project: str | None = None,
        driver: str | None = None,
        conductor: str | None = None,
        conductor_group: str | None = None,
        description_contains: str | None = None,
        fault: str | None = None,
        instance_id: str | None = None,
        shard: str | None = None,
        limit: int | None = None,
        max_items: int | None = None,
    ) -> Iterator[Node]:
        """List nodes with all ``traits``, any ``traits_any``, not all ``not_traits`` and no ``not_traits_any``.

        ``associated`` nodes have an instance. ``limit`` is the number of nodes in a page, ``max_items`` the number of
        nodes in total.
        """
        by_trait = {
            "traits": names_in("traits", traits),
            "traits_any": names_in("traits_any", traits_any),
            "not_traits": names_in("not_traits", not_traits),
            "not_traits_any": names_in("not_traits_any", not_traits_any),
        }
        filters = {
            "resource_class": resource_class,
            "provision_state": provision_state,
            "associated": associated,
            "is_maintenance": is_maintenance,
            "reserved": reserved,
            "retired": retired,
            "owner": owner,
            "lessee": lessee,
            "project": project,
            "driver": driver,
            "conductor": conductor,
            "conductor_group": conductor_group,
            "description_contains": description_contains,
            "fault": fault,
            "instance_id": instance_id,
            "shard": shard,
            "limit": limit,
            "max_items": max_items,
        }
        query: dict[str, Any] = {name: ",".join(names) for name, names in by_trait.items() if names}
        query |= {name: value for name, value in filters.items() if value is not None}
        return each_or_error(self._list(query))

    @dibs_errors()
    def get(self, node: str) -> Node:
        """Return a node by uuid or name."""
        return Node.new(id=node).fetch(self._baremetal)

    @dibs_errors()
    def add_traits(self, node: str, *traits: str) -> None:
        """Add traits to a node. Traits that the node has already are ignored."""
        found = self.get(node)
        for trait in traits:
            found.add_trait(self._baremetal, trait)

    @dibs_errors()
    def remove_traits(self, node: str, *traits: str) -> None:
        """Remove traits from a node; raise NotFound for a trait that it does not have."""
        found = self.get(node)
        for trait in traits:
            found.remove_trait(self._baremetal, trait, ignore_missing=False)

    @dibs_errors()
    def remove_all_traits(self, node: str) -> None:
        """Remove all traits from a node."""
        self.get(node).set_traits(self._baremetal, [])

    def _list(self, query: Mapping[str, Any]) -> Iterator[Node]:
        # A generator, because the bare-metal service is discovered at its first use.
        yield from Node.list(self._baremetal, details=True, **query)
