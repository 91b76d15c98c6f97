"""The only place with SQL: tables, migrations, engines, and one module of queries per noun.

A query module is a list of statements, built once when it is imported, and functions that run them on a
``Transaction``. What differs between engines is in ``engines/``; nothing else asks which engine it runs on.
"""

from dibs.store.ledger import Statistics, Store
from dibs.store.opening import open_store

__all__ = ["Statistics", "Store", "open_store"]
