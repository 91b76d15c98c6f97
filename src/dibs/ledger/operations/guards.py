"""Guards: checks and reactions that packages above the ledger add to its operations.

The ledger defines the class and calls every registered guard while it holds its locks, so a guard reads rows that no
other transaction can change before this one ends. The wiring registers the guards (``dibs.wiring.hooks``); without any,
an operation fails instead of skipping the checks.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import ClaimRequest, InventoryKey
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.model.providers import Provider


class ClaimChange(Struct, frozen=True, kw_only=True):
    """A replacement of claims that is about to be written."""

    requests: Sequence[ClaimRequest]
    keys: Mapping[tuple[str, str], InventoryKey]
    """Every inventory that the requests name, by provider uuid and class name."""
    before: Mapping[str, Mapping[InventoryKey, int]]
    """The present claims of each consumer, by uuid."""


InventoriesAfter = Mapping[int, Mapping[str, Inventory]]
"""All inventories of providers after a change: by the row id of the provider, then by resource class."""


class ReleasedClaim(Struct, frozen=True, kw_only=True):
    """A consumer, and a provider on which its claims are about to be released."""

    consumer: str
    provider_id: int


class LedgerGuard:
    """Checks and reactions of one package above the ledger. A check refuses by raising a domain error."""

    def check_claims(self, tx: Transaction, change: ClaimChange) -> None:
        """Check claims that are about to change. Their consumers and providers are locked."""

    def check_release(self, tx: Transaction, released: Sequence[ReleasedClaim]) -> None:
        """Check claims that are about to be released. Their consumers and providers are locked."""

    def claims_released(self, tx: Transaction, provider_ids: Sequence[int]) -> None:
        """React to the release of claims on these providers, before their rows are deleted."""

    def check_ownership(self, tx: Transaction, changed: Sequence[Provider]) -> None:
        """Check a change to locked providers: another object may own them, and must be changed instead."""

    def check_offer(self, tx: Transaction, changed: Sequence[Provider]) -> None:
        """Check a change to the name or the inventories of locked providers."""

    def check_inventories(self, tx: Transaction, after: InventoriesAfter) -> None:
        """Check the new inventories of locked providers, before they are written."""

    def check_traits(self, tx: Transaction, provider_id: int, after: Collection[str]) -> None:
        """Check the new traits of a locked provider, before they are written."""

    def check_removal(self, tx: Transaction, provider_id: int, uuid: str) -> None:
        """Check the removal of a locked provider, or its move to another tree."""

    def provider_renamed(self, tx: Transaction, provider_id: int, name: str) -> None:
        """React to the new name of a locked provider."""

    def check_class_rename(self, tx: Transaction, class_id: int, name: str) -> None:
        """Check the rename of a locked resource class."""

    def check_class_removal(self, tx: Transaction, name: str) -> None:
        """Check the removal of a locked resource class."""


def guards(tx: Transaction) -> tuple[LedgerGuard, ...]:
    """Return the registered guards of the ledger."""
    return tx.hooks.every(LedgerGuard)
