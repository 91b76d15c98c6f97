"""The health of the store."""

from typing import Any

from sqlalchemy import Select, column, select, table

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.store import Store

# Reads a real table, because a Galera node that lost its cluster still answers SELECT 1.
_PROBE: Select[Any] = select(column("version_num")).select_from(table("alembic_version"))


def problems(store: Store) -> list[str]:
    """Return the reasons why the store cannot be used now; empty when it can."""
    try:
        store.read(lambda tx: tx.values(_PROBE))
    except (StoreUnavailable, StoreContended) as error:
        return [str(error)]
    return []
