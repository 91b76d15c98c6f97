"""Traits of providers. A node owns its provider's traits: they are set on the node."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.model.providers import Provider, check_generation
from dibs.ledger.operations.guards import guards
from dibs.ledger.operations.providers import find_provider, lock_provider, require_no_owner
from dibs.ledger.operations.traits import require_traits
from dibs.ledger.queries import providers, traits


class ProviderTraits(Struct, frozen=True, kw_only=True):
    """The traits of a provider, with its generation."""

    generation: int
    traits: tuple[str, ...]
    changed_at: int | None
    """The creation time of the newest of them; None when there are none."""


class SetProviderTraits(Struct, frozen=True, kw_only=True):
    """The new traits of a provider."""

    provider: str
    generation: int | None
    """The generation that the client read; None when it sent none."""
    traits: tuple[str, ...]


def list_provider_traits(tx: Transaction, access: Access, now: int, uuid: str) -> ProviderTraits:
    """Return the traits of a provider."""
    provider = find_provider(tx, uuid)
    return _shown(tx, provider, provider.generation)


def set_provider_traits(tx: Transaction, access: Access, now: int, command: SetProviderTraits) -> ProviderTraits:
    """Replace the traits of a provider; the generation is incremented only when they change."""
    provider = lock_provider(tx, now, command.provider)
    require_no_owner(tx, provider)
    check_generation(provider, command.generation)
    require_traits(tx, command.traits, hold=True)
    current, wanted = set(traits.of_provider(tx, provider.id)), set(command.traits)
    if current == wanted:
        return _shown(tx, provider, provider.generation)
    check_new_traits(tx, provider.id, wanted)
    traits.remove(tx, provider.id, current - wanted)
    traits.add(tx, provider.id, wanted - current, now)
    tx.publish(CAPACITY_FREED)
    providers.bump_generation(tx, provider.id, now)
    return _shown(tx, provider, provider.generation + 1)


def remove_provider_traits(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Remove all traits of a provider."""
    set_provider_traits(tx, access, now, SetProviderTraits(provider=uuid, generation=None, traits=()))


def check_new_traits(tx: Transaction, provider_id: int, wanted: set[str]) -> None:
    """Raise when a guard forbids these traits of a locked provider."""
    for guard in guards(tx):
        guard.check_traits(tx, provider_id, wanted)


def _shown(tx: Transaction, provider: Provider, generation: int) -> ProviderTraits:
    return ProviderTraits(
        generation=generation,
        traits=tuple(traits.of_provider(tx, provider.id)),
        changed_at=traits.newest_of_provider(tx, provider.id),
    )
