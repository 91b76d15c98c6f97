"""The roots of the trees that a query names by any of their members."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.ledger.tables import providers


def roots_of(tx: Transaction, uuids: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return row id and uuid of the root of each provider's tree; providers that do not exist are missing."""
    return {
        uuid: (root_id, root)
        for piece in sets.pieces(uuids)
        for uuid, root_id, root in tx.tuples(_roots_of(len(piece)), sets.numbered("uuid", piece))
    }


@sets.cached
def _roots_of(count: int) -> Select[Any]:
    root = providers.alias("root")
    return (
        select(providers.c.uuid, root.c.id, root.c.uuid)
        .join(root, root.c.id == providers.c.root_id)
        .where(providers.c.uuid.in_(sets.binds("uuid", count)))
    )
