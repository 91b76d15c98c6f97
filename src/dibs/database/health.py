"""The health of the store."""

from typing import Any

from sqlalchemy import Select, Update, column, select, table, update

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.store import Store

# Reads a real table, because a Galera node that lost its cluster still answers SELECT 1.
_VERSIONS = table("alembic_version", column("version_num"))
_PROBE: Select[Any] = select(_VERSIONS.c.version_num)
_WRITE_PROBE: Update = update(_VERSIONS).values(version_num=_VERSIONS.c.version_num)


def problems(store: Store) -> list[str]:
    """Return the reasons why the store cannot be used now; empty when it can."""
    try:
        store.read(lambda tx: tx.values(_PROBE))
        if store.engine.is_file:
            store.write(lambda tx: tx.change(_WRITE_PROBE))
    except (StoreUnavailable, StoreContended) as error:
        return [str(error)]
    return []
