"""Resource providers: create, list, rename, move and delete.

A change of a tree's shape locks the tree's root, and the root of the target tree, before it reads the trees.
"""

from collections.abc import Sequence

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.ledger.model.errors import (
    BadParent,
    ProviderExists,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
)
from dibs.ledger.model.providers import ListedProvider, Provider, ProviderQuery, check_generation, subtree
from dibs.ledger.operations.guards import guards
from dibs.ledger.operations.resource_classes import require_classes
from dibs.ledger.operations.traits import require_traits
from dibs.ledger.queries import provider_search, providers

_NO_SUCH_PARENT = "parent provider UUID does not exist."


class CreateProvider(Struct, frozen=True, kw_only=True):
    """A new provider, below a parent or as a root."""

    uuid: str
    name: str
    parent: str | None = None


class Unmoved:
    """The type of UNMOVED."""


UNMOVED = Unmoved()
"""The provider keeps its position in its tree."""


class ChangeProvider(Struct, frozen=True, kw_only=True):
    """A new name for a provider, and perhaps a new parent."""

    uuid: str
    name: str
    parent: str | Unmoved | None = UNMOVED
    """The uuid of the new parent; None to make the provider a root."""
    may_move_again: bool
    """False when a provider that has a parent must keep it."""


def create_provider(tx: Transaction, access: Access, now: int, command: CreateProvider) -> Provider:
    """Create a provider and return it."""
    if command.parent == command.uuid:
        raise BadParent(
            reason="parent provider UUID cannot be same as UUID."
            " Please set parent provider UUID to None if there is no parent."
        )
    parent = None
    if command.parent is not None:
        parent = _lock_trees(tx, now, [command.parent]).get(command.parent)
        if parent is None:
            raise BadParent(reason=_NO_SUCH_PARENT)
    try:
        providers.insert_provider(tx, command.uuid, command.name, now, parent)
    except Duplicate as error:
        raise _refusal(error, command.uuid, command.name) from error
    return find_provider(tx, command.uuid)


def get_provider(tx: Transaction, access: Access, now: int, uuid: str) -> Provider:
    """Return a provider."""
    return find_provider(tx, uuid)


def list_providers(tx: Transaction, access: Access, now: int, command: ProviderQuery) -> list[ListedProvider]:
    """Return every provider that matches the query, oldest first."""
    require_traits(tx, command.traits.names())
    class_ids = require_classes(tx, command.resources)
    return provider_search.search(tx, command, class_ids)


def change_provider(tx: Transaction, access: Access, now: int, command: ChangeProvider) -> Provider:
    """Rename a provider, or move it with its subtree, and return it."""
    named = [command.uuid, *([command.parent] if isinstance(command.parent, str) else [])]
    found = _lock_trees(tx, now, named)
    if command.uuid not in found:
        raise ProviderNotFound(provider=command.uuid)
    provider = found[command.uuid]
    if command.name != provider.name:
        require_free_to_change(tx, provider)
        try:
            providers.rename(tx, provider.id, command.name)
        except Duplicate as error:
            raise _refusal(error, provider.uuid, command.name) from error
        for guard in guards(tx):
            guard.provider_renamed(tx, provider.id, command.name)
    if not isinstance(command.parent, Unmoved) and command.parent != provider.parent:
        _check_removal(tx, provider.id, provider.uuid)
        parent = _new_parent(provider, command, found)
        below = subtree(provider.id, providers.tree(tx, provider.root_id))
        if parent is not None and parent.id in below:
            raise BadParent(reason="creating loop in the provider tree is not allowed.")
        providers.move(tx, provider.id, parent, below)
    return find_provider(tx, command.uuid)


def delete_provider(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Delete a provider without children and without claims."""
    provider = lock_provider(tx, now, uuid)
    require_no_owner(tx, provider)
    require_unused(tx, provider.id, provider.uuid)
    providers.delete_provider(tx, provider.id)


def find_provider(tx: Transaction, uuid: str) -> Provider:
    """Return a provider; raise ProviderNotFound when it does not exist."""
    provider = providers.get(tx, uuid)
    if provider is None:
        raise ProviderNotFound(provider=uuid)
    return provider


def lock_provider(tx: Transaction, now: int, uuid: str, generation: int | None = None) -> Provider:
    """Lock a provider, check the generation that the client read (None: not sent), and return the provider."""
    if not providers.lock(tx, uuid, now):
        raise ProviderNotFound(provider=uuid)
    provider = find_provider(tx, uuid)
    check_generation(provider, generation)
    return provider


def require_no_owner(tx: Transaction, *changed: Provider) -> None:
    """Raise when another object, such as a node, owns one of the locked providers."""
    for guard in guards(tx):
        guard.check_ownership(tx, changed)


def require_free_to_change(tx: Transaction, *changed: Provider) -> None:
    """Raise when a guard forbids to change the name or the inventories of the locked providers."""
    require_no_owner(tx, *changed)
    for guard in guards(tx):
        guard.check_offer(tx, changed)


def require_unused(tx: Transaction, provider_id: int, uuid: str) -> None:
    """Raise when a locked provider cannot be removed: it has children or claims, or a guard forbids it."""
    _check_removal(tx, provider_id, uuid)
    if providers.has_children(tx, provider_id):
        raise ProviderHasChildren(provider=uuid)
    if providers.used(tx, provider_id):
        raise ProviderInUse(provider=uuid)


def _check_removal(tx: Transaction, provider_id: int, uuid: str) -> None:
    for guard in guards(tx):
        guard.check_removal(tx, provider_id, uuid)


def _lock_trees(tx: Transaction, now: int, uuids: Sequence[str]) -> dict[str, Provider]:
    """Lock the trees of the providers against changes of shape, and return the providers that exist."""
    before = providers.find(tx, uuids)
    touched = {row_id for provider in before.values() for row_id in (provider.id, provider.root_id)}
    providers.lock_many(tx, touched, now)
    found = providers.find(tx, uuids)
    if {(each.id, each.root_id) for each in found.values()} != {(each.id, each.root_id) for each in before.values()}:
        # A concurrent transaction moved or removed one of them before the lock, so the wrong tree may be locked.
        raise Again
    return found


def _new_parent(provider: Provider, command: ChangeProvider, found: dict[str, Provider]) -> Provider | None:
    if not isinstance(command.parent, str):
        if not command.may_move_again:
            raise BadParent(reason="un-parenting a provider is not currently allowed.")
        return None
    if command.parent not in found:
        raise BadParent(reason=_NO_SUCH_PARENT)
    if provider.parent is not None and not command.may_move_again:
        raise BadParent(reason="re-parenting a provider is not currently allowed.")
    return found[command.parent]


def _refusal(error: Duplicate, uuid: str, name: str) -> Exception:
    if error.constraint == "uq_providers_uuid":
        return ProviderExists(field="uuid", value=uuid)
    return ProviderExists(field="name", value=name) if error.constraint == "uq_providers_name" else error
