"""The only place with SQL: tables, migrations, engines, and one module of queries per noun.

A query module is a list of statements, built once when it is imported, and functions that run them on a
``Transaction``. What differs between engines is in ``engines/``; nothing else asks which engine it runs on.
"""

from dibs.database.opening import open_store
from dibs.database.store import Statistics, Store

__all__ = ["Statistics", "Store", "open_store"]
