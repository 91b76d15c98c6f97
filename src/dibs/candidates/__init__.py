"""Allocation candidates: every way in which the free capacity of providers could satisfy a request.

The model is the search itself, pure and without a database: it divides a query into slots, each for one provider, and
fills them by backtracking under rules. The queries load the provider trees that could have a candidate at all. A
candidate is a hint and locks nothing: the ledger checks the claim again when a client makes it.

Nothing here writes. Start with ``model/candidates.py``, which states Placement's rules, then
``operations/candidates.py``.
"""
