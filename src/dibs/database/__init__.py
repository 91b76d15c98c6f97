"""The database: transactions and their retries, engines, schema conventions and migrations. It knows no noun.

``runner.Runner`` runs one operation in one transaction of a ``Store``; start there. ``transaction.Transaction`` runs
statements; ``schema`` has the conventions of tables. All differences between engines are in ``engines``: an ``if``
about the engine anywhere else is a defect. Tables and queries belong to the package of their noun: their statements are
built once, at import, and compiled once per engine.
"""

from dibs.database.opening import open_store
from dibs.database.store import Statistics, Store

__all__ = ["Statistics", "Store", "open_store"]
