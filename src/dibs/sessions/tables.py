"""The table of the key. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import Column, String

from dibs.database.schema import row_id, table

site_keys = table(
    "site_keys",
    row_id(),
    # 32 random bytes in hexadecimal digits.
    Column("value", String(64), nullable=False),
)
