"""Can the store be used right now?"""

from sqlalchemy import select

from dibs.domain.errors import StoreContended, StoreUnavailable
from dibs.store.ledger import Store
from dibs.store.tables import conductors

# A table of ours: a Galera node that lost its cluster answers SELECT 1 as if nothing had happened.
_SOMETHING = select(conductors.c.id).limit(1)


def problems(store: Store) -> list[str]:
    """The reasons why not; empty when it can."""
    try:
        store.read(lambda tx: tx.values(_SOMETHING))
    except (StoreUnavailable, StoreContended) as error:
        return [str(error)]
    return []
