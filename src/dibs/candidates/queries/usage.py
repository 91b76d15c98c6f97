"""What is used and reserved of inventories, read in the transaction of a search."""

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import or_, select

from dibs.candidates.model.usage import Usage
from dibs.database.sets import Among, listed
from dibs.database.transaction import Transaction
from dibs.ledger.tables import inventories

_EVERY = select(inventories.c.provider_id, inventories.c.class_id, inventories.c.used, inventories.c.reserved).where(
    or_(inventories.c.used != 0, inventories.c.reserved != 0)
)
_SOME = Among(_EVERY, inventories.c.provider_id, "providers")


LOOK_UP_COST = 4
"""What it costs an engine to look up a provider, as a multiple of reading its rows with the whole table."""


def read_usage(tx: Transaction, provider_ids: Collection[int], known: int | None = None) -> Usage:
    """Return what is used and reserved of these providers, in one statement for any number of them.

    ``known`` is the number of all providers. For a quarter of them or more, it is cheaper to read the whole table than
    to look up each; then the result has the other providers too.
    """
    found: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for provider_id, class_id, used, reserved in _rows(tx, provider_ids, known):
        found[provider_id][class_id] = (used, reserved)
    return dict(found)


def _rows(tx: Transaction, provider_ids: Collection[int], known: int | None) -> list[tuple[int, ...]]:
    if not provider_ids:
        return []
    if known is not None and LOOK_UP_COST * len(provider_ids) >= known:
        return tx.tuples(_EVERY)
    return tx.tuples(_SOME, {"providers": listed(provider_ids)})
