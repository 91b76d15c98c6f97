"""The health of the store: whether it can be written now."""

import time
import uuid

from sqlalchemy import bindparam

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.schema import WRITE_PROBES
from dibs.database.store import Store
from dibs.database.transaction import Transaction

FULL_SECONDS = 30
"""How long a full disk is reported after it refused a write. The small row of a check may still fit."""

_INSERT = WRITE_PROBES.insert()
_DELETE = WRITE_PROBES.delete().where(WRITE_PROBES.c.uuid == bindparam("uuid"))


def problems(store: Store) -> list[str]:
    """Return the reasons why the store cannot be written now; empty when it can.

    Only a commit proves it: a read succeeds on a standby, on a read-only file, on a full disk, and while a synchronous
    standby is missing. Each check has a row of its own, so that checks of several processes do not meet.
    """
    found = []
    try:
        store.write(_probe)
    except (StoreUnavailable, StoreContended) as error:
        found.append(str(error))
    if store.full_at is not None and time.monotonic() - store.full_at < FULL_SECONDS:
        found.append("The database refused to write because its disk is full.")
    return found


def _probe(tx: Transaction) -> None:
    row = {"uuid": str(uuid.uuid4())}
    tx.change(_INSERT, row)
    tx.change(_DELETE, row)
