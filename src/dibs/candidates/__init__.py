"""Allocation candidates: every way in which the free capacity of providers could satisfy a request.

The model is the search, pure and without a database. ``model/index`` has the structure of all providers in memory.
``matching`` finds the trees that could have a candidate, ``plans`` decides once for all trees of a shape which members
could supply what (``slots``, ``search`` and ``rules``: by backtracking), and ``candidates`` compares with what is used.
The queries keep the index in step with the database, and read what is used. A candidate is a hint and locks nothing:
the ledger checks the claim again when a client makes it.

Nothing here writes. Start with ``model/candidates.py``, which states Placement's rules, then
``operations/candidates.py``.
"""
