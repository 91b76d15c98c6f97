"""Aggregates of a provider. A node does not own them, so its provider's may be set like any other's."""

from collections.abc import Mapping

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.operations.providers import find_provider, lock_provider
from dibs.ledger.queries import aggregates, providers


class ProviderAggregates(Struct, frozen=True, kw_only=True):
    """The aggregates of a provider, with its generation."""

    generation: int
    aggregates: tuple[str, ...]
    """As the client wrote them."""


class SetAggregates(Struct, frozen=True, kw_only=True):
    """The new aggregates of a provider."""

    provider: str
    generation: int | None
    """The generation that the client read. None from clients that send none; their change does not increment it."""
    aggregates: tuple[str, ...]
    """Their uuids in the stored form."""
    written: Mapping[str, str] = field(default_factory=dict)
    """The forms in which the client wrote those that it did not write in the stored form."""


def list_aggregates(tx: Transaction, access: Access, now: int, uuid: str) -> ProviderAggregates:
    """Return the aggregates of a provider."""
    provider = find_provider(tx, uuid)
    return ProviderAggregates(
        generation=provider.generation, aggregates=tuple(aggregates.of_provider(tx, provider.id).values())
    )


def set_aggregates(tx: Transaction, access: Access, now: int, command: SetAggregates) -> ProviderAggregates:
    """Replace the aggregates of a provider, and return them in the client's order."""
    provider = lock_provider(tx, now, command.provider, command.generation)
    current = aggregates.of_provider(tx, provider.id)
    wanted = {aggregate: command.written.get(aggregate, aggregate) for aggregate in command.aggregates}
    aggregates.remove(tx, provider.id, sorted(dict(current.items() - wanted.items())))
    aggregates.add(tx, provider.id, dict(wanted.items() - current.items()))
    if command.generation is None:
        return ProviderAggregates(generation=provider.generation, aggregates=tuple(wanted.values()))
    providers.bump_generation(tx, provider.id, now)
    return ProviderAggregates(generation=provider.generation + 1, aggregates=tuple(wanted.values()))
