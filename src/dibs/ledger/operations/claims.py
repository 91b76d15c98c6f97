"""Claims as consumers and operators see them: replace, give back, look at."""

from dataclasses import dataclass

from dibs.access.access import Access
from dibs.database.transaction import Row, Transaction
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import ProviderNotFound
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views, providers, usages


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceClaims:
    """What several consumers are to have from now on, granted together or not at all."""

    requests: tuple[ClaimRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfConsumer:
    """One consumer, by uuid."""

    consumer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnProvider:
    """One provider, by uuid."""

    provider: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderClaims:
    """What is claimed of a provider."""

    generation: int
    claims: list[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderUsage:
    """How much of each class of a provider is used."""

    generation: int
    used: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfProject:
    """How much a project uses, over all providers."""

    project_id: str
    user_id: str | None = None


def replace_claims(tx: Transaction, access: Access, now: int, command: ReplaceClaims) -> None:
    """Grant all requests, or none."""
    claiming.replace_claims(tx, now, command.requests)


def release_claims(tx: Transaction, access: Access, now: int, command: OfConsumer) -> None:
    """Take everything back from a consumer."""
    claiming.release_all(tx, now, command.consumer)


def list_claims_of_consumer(tx: Transaction, access: Access, now: int, command: OfConsumer) -> list[Row]:
    """Everything a consumer has; nothing for a consumer that nobody knows."""
    return claim_views.of_consumer(tx, command.consumer)


def list_claims_on_provider(tx: Transaction, access: Access, now: int, command: OnProvider) -> ProviderClaims:
    """Everything that is claimed of a provider."""
    provider = _provider(tx, command)
    return ProviderClaims(generation=provider.generation, claims=claim_views.on_provider(tx, provider.id))


def get_provider_usage(tx: Transaction, access: Access, now: int, command: OnProvider) -> ProviderUsage:
    """How much of each class of a provider is used, classes of which nothing is used included."""
    provider = _provider(tx, command)
    return ProviderUsage(generation=provider.generation, used=usages.of_provider(tx, provider.id))


def list_usage_of_project(tx: Transaction, access: Access, now: int, command: UsageOfProject) -> usages.ProjectUsage:
    """How much a project, or one of its users, has, by type of consumer and by class."""
    return usages.of_project(tx, command.project_id, command.user_id)


def _provider(tx: Transaction, command: OnProvider) -> Provider:
    provider = providers.get(tx, command.provider)
    if provider is None:
        raise ProviderNotFound(provider=command.provider)
    return provider
