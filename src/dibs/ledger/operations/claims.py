"""Claims and usages: replace, release, list."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Row, Transaction
from dibs.ledger.model.access import (
    DELETE_CLAIMS,
    LIST_CLAIMS,
    LIST_CLAIMS_ON_PROVIDER,
    SHOW_PROJECT_USAGE,
    SHOW_PROVIDER_USAGE,
    UPDATE_CLAIMS,
    require,
)
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations import claiming
from dibs.ledger.operations.providers import find_provider
from dibs.ledger.queries import claim_views, usages


class ReplaceClaims(Struct, frozen=True, kw_only=True):
    """The new claims of several consumers, granted together or not at all."""

    requests: tuple[ClaimRequest, ...]
    rule: str = UPDATE_CLAIMS
    """The rule that must grant it: MANAGE_CLAIMS for many consumers."""


class ProviderClaims(Struct, frozen=True, kw_only=True):
    """The claims on a provider, with the provider's generation."""

    generation: int
    claims: list[Row]


class ProviderUsage(Struct, frozen=True, kw_only=True):
    """The used amount of each resource class of a provider, with the provider's generation."""

    generation: int
    used: dict[str, int]


class UsageOfProject(Struct, frozen=True, kw_only=True):
    """A project, or one user of it, whose usage is requested."""

    project_id: str
    user_id: str | None = None


def replace_claims(tx: Transaction, access: Access, now: int, command: ReplaceClaims) -> None:
    """Grant all requests, or none."""
    require(access, command.rule)
    claiming.replace_claims(tx, now, command.requests)


def release_claims(tx: Transaction, access: Access, now: int, consumer: str) -> None:
    """Release every claim of a consumer."""
    require(access, DELETE_CLAIMS)
    claiming.release_all(tx, now, consumer)


def list_claims_of_consumer(tx: Transaction, access: Access, now: int, consumer: str) -> list[Row]:
    """Return every claim of a consumer; a consumer that does not exist has none."""
    require(access, LIST_CLAIMS)
    return claim_views.of_consumer(tx, consumer)


def list_claims_on_provider(tx: Transaction, access: Access, now: int, provider: str) -> ProviderClaims:
    """Return every claim on a provider."""
    require(access, LIST_CLAIMS_ON_PROVIDER)
    found = find_provider(tx, provider)
    return ProviderClaims(generation=found.generation, claims=claim_views.on_provider(tx, found.id))


def get_provider_usage(tx: Transaction, access: Access, now: int, provider: str) -> ProviderUsage:
    """Return the used amount of each resource class that a provider has, unused classes included."""
    require(access, SHOW_PROVIDER_USAGE)
    found = find_provider(tx, provider)
    return ProviderUsage(generation=found.generation, used=usages.of_provider(tx, found.id))


def list_usage_of_project(tx: Transaction, access: Access, now: int, command: UsageOfProject) -> usages.ProjectUsage:
    """Return what a project, or one of its users, has claimed, by consumer type and resource class."""
    require(access, SHOW_PROJECT_USAGE, command.project_id)
    return usages.of_project(tx, command.project_id, command.user_id)
