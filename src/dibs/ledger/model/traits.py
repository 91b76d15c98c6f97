"""Traits: what a machine is, in words that all agree on.

A trait is one of the standard names that the os-traits library lists, or a name of one's own that begins with CUSTOM_.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import os_traits

from dibs.ledger.model.errors import InvalidTrait
from dibs.machines.model.errors import InstanceTraitsMissing, TooManyTraits

TRAIT_LENGTH_MAX = 255
TRAITS_PER_NODE_MAX = 50

STANDARD_TRAITS = frozenset(os_traits.get_traits())
_CUSTOM = re.compile(r"CUSTOM_[A-Z0-9_]+\Z")


def check_trait(name: str) -> None:
    """Refuse a name that is neither standard nor a custom one."""
    if len(name) > TRAIT_LENGTH_MAX:
        raise InvalidTrait(trait=name[:40] + "…", reason=f"a trait has at most {TRAIT_LENGTH_MAX} characters")
    if name not in STANDARD_TRAITS and not _CUSTOM.match(name):
        raise InvalidTrait(
            trait=name, reason="it is not a standard trait of os-traits and does not match '^CUSTOM_[A-Z0-9_]+$'"
        )


def check_traits(names: Iterable[str]) -> None:
    """Refuse the first name that is not a trait."""
    for name in names:
        check_trait(name)


def check_trait_count(node: str, count: int) -> None:
    """Refuse more traits than a node may have."""
    if count > TRAITS_PER_NODE_MAX:
        raise TooManyTraits(node=node, count=count, limit=TRAITS_PER_NODE_MAX)


def check_instance_traits(node: str, instance_info: Mapping[str, Any], traits: Collection[str]) -> None:
    """Refuse an instance that asks for traits its node does not have."""
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
