"""Reshape: move inventories between providers together with the claims on them, in one transaction."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Again, Transaction
from dibs.ledger.model.access import RESHAPE, require
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import ProviderNotFound
from dibs.ledger.model.providers import Provider, check_generation
from dibs.ledger.operations import claiming
from dibs.ledger.operations.inventories import SetInventories, put_inventories, remove_unclaimed
from dibs.ledger.operations.providers import require_free_to_change
from dibs.ledger.queries import inventories, providers


class Reshape(Struct, frozen=True, kw_only=True):
    """The new inventories of providers, and the new claims on them."""

    inventories: tuple[SetInventories, ...]
    requests: tuple[ClaimRequest, ...]


def reshape(tx: Transaction, access: Access, now: int, command: Reshape) -> None:
    """Add the new inventories, then move the claims, then remove the old inventories: no claim is ever without one."""
    require(access, RESHAPE)
    locked = _lock(tx, now, command)
    offers = _checked_offers(tx, command.inventories)
    if not locked.issuperset(provider.id for provider, _ in offers):
        # A concurrent transaction removed a provider and created it again before it was locked.
        raise Again
    changed = sorted(provider.id for provider, _ in offers)
    others = put_inventories(tx, now, offers)
    providers.lock_and_bump(tx, [provider.id for provider, wanted in offers if wanted.sizes], now)
    claiming.replace_claims(tx, now, command.requests)
    present = inventories.of_providers(tx, changed)
    remove_unclaimed(tx, {key: present[key] for key in others})
    providers.lock_and_bump(tx, changed, now)


def _lock(tx: Transaction, now: int, command: Reshape) -> set[int]:
    """Lock every provider concerned, as ``claiming`` does before the consumers; return their row ids."""
    named = {wanted.provider for wanted in command.inventories}.union(
        *(request.resources for request in command.requests)
    )
    named_ids = providers.ids_of(tx, sorted(named)).values()
    return claiming.lock_claimed_providers(tx, now, [request.consumer for request in command.requests], named_ids)


def _checked_offers(tx: Transaction, wanted: tuple[SetInventories, ...]) -> list[tuple[Provider, SetInventories]]:
    """Return each locked provider with its new inventories; raise when one is missing or has another generation."""
    found = providers.find(tx, [each.provider for each in wanted])
    for each in wanted:
        if each.provider not in found:
            raise ProviderNotFound(provider=each.provider)
        check_generation(found[each.provider], each.generation)
    require_free_to_change(tx, *found.values())
    return [(found[each.provider], each) for each in wanted]
