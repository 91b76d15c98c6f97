"""Traits of a node. They may change in every state of the node."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.model.traits import check_trait, check_traits
from dibs.ledger.operations.provider_traits import check_new_traits
from dibs.ledger.queries import providers, traits
from dibs.machines.model.access import check_node
from dibs.machines.model.errors import NodeNotFound, TraitNotFound
from dibs.machines.model.events import traits_event
from dibs.machines.model.node_traits import check_trait_count
from dibs.machines.model.nodes import Node
from dibs.machines.queries import nodes


class NodeTraits(Struct, frozen=True, kw_only=True):
    """Name a node, for its traits."""

    ident: str
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the node, in addition to the one to see it."""


class SetTraits(NodeTraits, frozen=True, kw_only=True):
    """Replace all traits."""

    traits: tuple[str, ...]


class AddTrait(NodeTraits, frozen=True, kw_only=True):
    """Add one trait; it is no error when the node has it already."""

    trait: str


class RemoveTrait(NodeTraits, frozen=True, kw_only=True):
    """Remove one trait."""

    trait: str


def list_traits(tx: Transaction, access: Access, now: int, command: NodeTraits) -> list[str]:
    """Return the node's traits in alphabetical order."""
    node = nodes.get(tx, command.ident)
    if node is None:
        raise NodeNotFound(node=command.ident)
    check_node(access, node, command.ident, command.rules)
    return traits.of_provider(tx, node.id)


def set_traits(tx: Transaction, access: Access, now: int, command: SetTraits) -> list[str]:
    """Replace all traits of the node; return the new list."""
    node, current = _locked(tx, access, now, command)
    check_traits(command.traits)
    wanted = set(command.traits)
    check_trait_count(node.uuid, len(wanted))
    _write(tx, now, node, current, wanted)
    return sorted(wanted)


def add_trait(tx: Transaction, access: Access, now: int, command: AddTrait) -> None:
    """Add one trait to the node."""
    node, current = _locked(tx, access, now, command)
    check_trait(command.trait)
    check_trait_count(node.uuid, len(current | {command.trait}))
    _write(tx, now, node, current, current | {command.trait})


def remove_trait(tx: Transaction, access: Access, now: int, command: RemoveTrait) -> None:
    """Remove one trait from the node."""
    node, current = _locked(tx, access, now, command)
    if command.trait not in current:
        raise TraitNotFound(node=node.uuid, trait=command.trait)
    _write(tx, now, node, current, current - {command.trait})


def remove_all_traits(tx: Transaction, access: Access, now: int, command: NodeTraits) -> None:
    """Remove every trait from the node."""
    node, current = _locked(tx, access, now, command)
    _write(tx, now, node, current, set())


def _locked(tx: Transaction, access: Access, now: int, command: NodeTraits) -> tuple[Node, set[str]]:
    node = nodes.lock(tx, command.ident, now)
    if node is None:
        raise NodeNotFound(node=command.ident)
    check_node(access, node, command.ident, command.rules)
    return node, set(traits.of_provider(tx, node.id))


def _write(tx: Transaction, now: int, node: Node, current: set[str], wanted: set[str]) -> None:
    if current != wanted:
        check_new_traits(tx, node.id, wanted)
        traits.remove(tx, node.id, sorted(current - wanted))
        traits.add(tx, node.id, sorted(wanted - current), now)
        tx.publish(CAPACITY_FREED)
        providers.bump_generation(tx, node.id, now)
        tx.record(traits_event(node, current, wanted))
