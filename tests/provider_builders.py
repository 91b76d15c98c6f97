"""Create providers, inventories and claims in tests."""

import uuid
from collections.abc import Callable
from typing import TypeVar

from dibs.access.access import SERVICE
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.aggregates import SetAggregates, set_aggregates
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.inventories import ProviderInventories, SetInventories, Sizes, set_inventories
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import CreateProvider, create_provider, get_provider
from dibs.ledger.operations.traits import ensure_trait
from tests.builders import Ledger

Result = TypeVar("Result")


def make(ledger: Ledger, name: str = "", parent: Provider | None = None, **totals: int) -> Provider:
    """Create a provider with these totals by resource class."""
    identity = str(uuid.uuid4())
    command = CreateProvider(uuid=identity, name=name or identity, parent=parent.uuid if parent else None)
    provider = ledger.runner.write(create_provider, SERVICE, command)
    if totals:
        stock(ledger, provider, **totals)
    return now(ledger, provider)


def now(ledger: Ledger, provider: Provider) -> Provider:
    """Return the provider as it is now."""
    return ledger.runner.read(get_provider, SERVICE, provider.uuid)


def sizes(total: int, **others: int | float) -> Sizes:
    """Return the sizes of an inventory that one claim may use up."""
    return Sizes(**{"total": total, "max_unit": total, **others})  # type: ignore[arg-type]


def stock(ledger: Ledger, provider: Provider, **totals: int) -> ProviderInventories:
    """Replace the inventories of a provider; its generation is not checked."""
    command = SetInventories(
        provider=provider.uuid, generation=None, sizes={name: sizes(total) for name, total in totals.items()}
    )
    return ledger.runner.write(set_inventories, SERVICE, command)


def claim(ledger: Ledger, provider: Provider, **amounts: int) -> str:
    """Claim amounts of a provider for a new consumer, and return the consumer's uuid."""
    request = ClaimRequest(consumer=str(uuid.uuid4()), resources={provider.uuid: amounts}, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return request.consumer


def set_traits(ledger: Ledger, provider: Provider, *traits: str) -> None:
    """Replace the traits of a provider; create the custom ones."""
    for trait in traits:
        if trait.startswith("CUSTOM_"):
            ledger.runner.write(ensure_trait, SERVICE, trait)
    command = SetProviderTraits(provider=provider.uuid, generation=None, traits=traits)
    ledger.runner.write(set_provider_traits, SERVICE, command)


def join_aggregates(ledger: Ledger, provider: Provider, *aggregates: str) -> None:
    """Replace the aggregates of a provider."""
    command = SetAggregates(provider=provider.uuid, generation=None, aggregates=aggregates)
    ledger.runner.write(set_aggregates, SERVICE, command)


def statements(ledger: Ledger, act: Callable[[], Result]) -> int:
    """Return the number of SQL statements that a call runs."""
    before = ledger.store.statistics.statements
    act()
    return ledger.store.statistics.statements - before
