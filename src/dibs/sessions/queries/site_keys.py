"""Read the key of a site."""

from sqlalchemy import select

from dibs.database.transaction import Transaction
from dibs.sessions.tables import site_keys

_SELECT = select(site_keys.c.value)


def get(tx: Transaction) -> str:
    """Return the key in hexadecimal digits."""
    (value,) = tx.values(_SELECT)
    return str(value)
