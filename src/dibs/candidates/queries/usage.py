"""What is used and reserved of inventories, read in the transaction of a search."""

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import or_, select

from dibs.candidates.model.usage import Usage
from dibs.database.sets import Among, listed
from dibs.database.transaction import Transaction
from dibs.ledger.tables import inventories

_IN_USE = Among(
    select(inventories.c.provider_id, inventories.c.class_id, inventories.c.used, inventories.c.reserved).where(
        or_(inventories.c.used != 0, inventories.c.reserved != 0)
    ),
    inventories.c.provider_id,
    "providers",
)


def read_usage(tx: Transaction, provider_ids: Collection[int]) -> Usage:
    """Return what is used and reserved of these providers, in one statement for any number of them."""
    found: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    if provider_ids:
        for provider_id, class_id, used, reserved in tx.tuples(_IN_USE, {"providers": listed(provider_ids)}):
            found[provider_id][class_id] = (used, reserved)
    return dict(found)
