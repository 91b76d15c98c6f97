"""Encrypt the stored secrets of nodes with the key that encrypts now."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.queries import secrets

COUNT_MAX = 100
"""How many rows one transaction encrypts."""

TABLES = tuple(secrets.SECRETS)


class EncryptSecrets(Struct, frozen=True, kw_only=True):
    """Encrypt the secrets of the next rows of a table."""

    table: str
    after_key: int


class EncryptedRows(Struct, frozen=True, kw_only=True):
    """How many rows were encrypted, and the key of the last one; None at the end of the table."""

    count: int
    last_key: int | None


def encrypt_secrets(tx: Transaction, access: Access, now: int, command: EncryptSecrets) -> EncryptedRows:
    """Encrypt some rows anew. A row that another transaction changes meanwhile is encrypted by that one."""
    rows = secrets.page(tx, command.table, command.after_key, COUNT_MAX)
    count = sum(secrets.encrypt(tx, command.table, row) for row in rows)
    return EncryptedRows(count=count, last_key=rows[-1]["key"] if rows else None)
