"""Quotas and shares: how much of the nodes a project may have, and whose turn it is.

Here belong the limits, what a project uses of them, and the check that no transaction exceeds them. Leases and
allocations, which stand above, tell what they book for a project through a ``UsageSource``. Start with
``operations/guard.py``, which checks each transaction before its commit (docs/adr/0017), and ``model/rooms.py``, which
counts. ``operations/shares.py`` counts what projects have for the order of the queue (docs/adr/0019).
"""
