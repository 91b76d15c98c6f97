"""Can the store be used right now?"""

from typing import Any

from sqlalchemy import Select, column, select, table

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.store import Store

# A table of ours: a Galera node that lost its cluster answers SELECT 1 as if nothing had happened.
_SOMETHING: Select[Any] = select(column("version_num")).select_from(table("alembic_version"))


def problems(store: Store) -> list[str]:
    """The reasons why not; empty when it can."""
    try:
        store.read(lambda tx: tx.values(_SOMETHING))
    except (StoreUnavailable, StoreContended) as error:
        return [str(error)]
    return []
