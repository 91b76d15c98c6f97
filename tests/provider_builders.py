"""Short ways to say which providers a test needs, what they have and who uses it."""

import uuid
from collections.abc import Callable
from typing import TypeVar

from dibs.access.access import SERVICE
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.inventories import ProviderInventories, SetInventories, Sizes, set_inventories
from dibs.ledger.operations.providers import CreateProvider, GetProvider, create_provider, get_provider
from tests.builders import Ledger

Result = TypeVar("Result")


def make(ledger: Ledger, name: str = "", parent: Provider | None = None, **totals: int) -> Provider:
    """A provider that has so much of some classes."""
    identity = str(uuid.uuid4())
    command = CreateProvider(uuid=identity, name=name or identity, parent=parent.uuid if parent else None)
    provider = ledger.runner.write(create_provider, SERVICE, command)
    if totals:
        stock(ledger, provider, **totals)
    return now(ledger, provider)


def now(ledger: Ledger, provider: Provider) -> Provider:
    """The provider as it is now."""
    return ledger.runner.read(get_provider, SERVICE, GetProvider(uuid=provider.uuid))


def sizes(total: int, **others: int | float) -> Sizes:
    """An inventory that may be taken whole."""
    return Sizes(**{"total": total, "max_unit": total, **others})  # type: ignore[arg-type]


def stock(ledger: Ledger, provider: Provider, **totals: int) -> ProviderInventories:
    """Replace what a provider has, whatever its generation."""
    command = SetInventories(
        provider=provider.uuid, generation=None, sizes={name: sizes(total) for name, total in totals.items()}
    )
    return ledger.runner.write(set_inventories, SERVICE, command)


def claim(ledger: Ledger, provider: Provider, **amounts: int) -> str:
    """Let a new consumer have something of a provider; gives its uuid."""
    request = ClaimRequest(consumer=str(uuid.uuid4()), resources={provider.uuid: amounts}, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return request.consumer


def statements(ledger: Ledger, act: Callable[[], Result]) -> int:
    """How many statements something takes."""
    before = ledger.store.statistics.statements
    act()
    return ledger.store.statistics.statements - before
