"""Every table there is, for those who need them all: migrations, checks, tests."""

from dibs.store import lease_tables, tables
from dibs.store.schema import metadata

__all__ = ["lease_tables", "metadata", "tables"]
