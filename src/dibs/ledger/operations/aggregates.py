"""Aggregates of a provider. They belong to nobody, so those of a node's provider may be set like any other's."""

from dataclasses import dataclass

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.errors import ProviderNotFound
from dibs.ledger.operations.providers import GetProvider, lock_provider
from dibs.ledger.queries import aggregates, providers


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAggregates:
    """The aggregates that a provider is in, with its generation."""

    generation: int
    aggregates: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAggregates:
    """The aggregates that a provider is in from now on."""

    provider: str
    generation: int | None
    """What the caller took the provider to be at; None from those who know nothing of generations here, and whose
    change does not move it."""
    aggregates: tuple[str, ...]


def list_aggregates(tx: Transaction, access: Access, now: int, command: GetProvider) -> ProviderAggregates:
    """The aggregates that a provider is in."""
    provider = providers.get(tx, command.uuid)
    if provider is None:
        raise ProviderNotFound(provider=command.uuid)
    return ProviderAggregates(generation=provider.generation, aggregates=tuple(aggregates.of_provider(tx, provider.id)))


def set_aggregates(tx: Transaction, access: Access, now: int, command: SetAggregates) -> ProviderAggregates:
    """Replace them; gives them in the order of the caller."""
    provider = lock_provider(tx, now, command.provider, command.generation)
    current, wanted = set(aggregates.of_provider(tx, provider.id)), set(command.aggregates)
    aggregates.remove(tx, provider.id, sorted(current - wanted))
    aggregates.add(tx, provider.id, sorted(wanted - current))
    if command.generation is None:
        return ProviderAggregates(generation=provider.generation, aggregates=command.aggregates)
    providers.bump_generation(tx, provider.id, now)
    return ProviderAggregates(generation=provider.generation + 1, aggregates=command.aggregates)
