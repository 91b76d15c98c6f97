"""Rules about the traits of one node: their number, and the traits that an instance requires."""

from collections.abc import Collection, Mapping
from typing import Any

from dibs.machines.model.errors import InstanceTraitsMissing, TooManyTraits

TRAITS_PER_NODE_MAX = 50


def check_trait_count(node: str, count: int) -> None:
    """Raise TooManyTraits for more traits than a node may have."""
    if count > TRAITS_PER_NODE_MAX:
        raise TooManyTraits(node=node, count=count, limit=TRAITS_PER_NODE_MAX)


def check_instance_traits(node: str, instance_info: Mapping[str, Any], traits: Collection[str]) -> None:
    """Raise InstanceTraitsMissing for an instance that requires traits which its node lacks."""
    wanted = instance_info.get("traits") or []
    if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
        raise InstanceTraitsMissing(
            node=node,
            reason=f"Error parsing traits from Node {node} instance_info field. A list of strings is expected.",
        )
    missing = sorted(set(wanted) - set(traits))
    if missing:
        raise InstanceTraitsMissing(
            node=node,
            reason="Cannot specify instance traits that are not also set on the node. "
            f"Node {node} is missing traits {', '.join(missing)}",
        )
