"""Can the store be used right now?"""

from sqlalchemy import literal, select

from dibs.domain.errors import StoreContended, StoreUnavailable
from dibs.store.ledger import Store

_ONE = select(literal(1))


def problems(store: Store) -> list[str]:
    """The reasons why not; empty when it can."""
    try:
        store.read(lambda tx: tx.values(_ONE))
    except (StoreUnavailable, StoreContended) as error:
        return [str(error)]
    return []
