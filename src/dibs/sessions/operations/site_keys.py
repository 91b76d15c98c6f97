"""The key of a site."""

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.sessions.queries import site_keys


def read_site_key(tx: Transaction, access: Access, now: int, command: None) -> bytes:
    """Return the key that signs sessions. For Dibs itself: no caller of an API gets it."""
    return bytes.fromhex(site_keys.get(tx))
